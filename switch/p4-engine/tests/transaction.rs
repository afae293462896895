// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Several changes of tables as one.

mod common;

use common::*;
use p4_engine::{ControlError, MatchField, TableEntry};

fn entry(s: &p4_engine::Switch, table: usize, prefix: u32) -> TableEntry {
    TableEntry {
        key: vec![MatchField::Lpm {
            value: prefix.into(),
            prefix_len: 8,
        }],
        priority: 0,
        action: call(s, table, "Ingress.forward", &[1, 2, 3]).into(),
    }
}

#[test]
fn all_changes_or_none() {
    let mut s = router();
    let table = s.program().table("Ingress.ipv4_lpm").unwrap();
    let (new, old) = (entry(&s, table, 0x0b00_0000), entry(&s, table, 0x0a00_0000));
    let udp_10 = || udp(0x0a01_0203, 9, 64, 100);
    s.receive(3, udp_10(), 0);
    let before: Vec<_> = s
        .table_entries(table)
        .unwrap()
        .map(|(e, c)| (e.clone(), c))
        .collect();

    let refused = s.all_or_none(&[table, usize::MAX], |s| {
        s.table_insert(table, new.clone())?;
        s.table_delete(table, &old.key, 0)?;
        s.table_insert(table, new.clone())
    });
    assert_eq!(refused, Err(ControlError::AlreadyExists));
    let after: Vec<_> = s
        .table_entries(table)
        .unwrap()
        .map(|(e, c)| (e.clone(), c))
        .collect();
    assert_eq!(after, before);
    s.depart(u64::MAX).unwrap();
    assert!(matches!(
        s.receive(3, udp_10(), 0),
        p4_engine::ReceiveOutcome::Enqueued(_)
    ));

    s.all_or_none(&[table], |s| {
        s.table_insert(table, new.clone())?;
        s.table_delete(table, &old.key, 0)
    })
    .unwrap();
    assert!(s.table_entry(table, &new.key, 0).is_ok());
    assert!(s.table_entry(table, &old.key, 0).is_err());
}
