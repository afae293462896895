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

fn shown(s: &p4_engine::Switch, table: usize) -> Vec<(TableEntry, p4_engine::CounterValue)> {
    let entries = s.table_entries(table).unwrap();
    entries.map(|(e, c)| (e.clone(), c)).collect()
}

fn route(s: &p4_engine::Switch, table: usize, i: u32, port: u64) -> TableEntry {
    TableEntry {
        key: vec![MatchField::Lpm {
            value: (0x1400_0000 + (i << 8)).into(),
            prefix_len: 24,
        }],
        priority: 0,
        action: call(s, table, "Ingress.forward", &[port, 2, 3]).into(),
    }
}

#[test]
fn a_failing_batch_leaves_a_large_table_as_it_was() {
    let mut s = router();
    let table = s.program().table("Ingress.ipv4_lpm").unwrap();
    for i in 0..10_000 {
        s.table_insert(table, route(&s, table, i, 1)).unwrap();
    }
    // A deleted entry leaves a place that the batch takes.
    s.table_delete(table, &route(&s, table, 5000, 1).key, 0)
        .unwrap();
    s.receive(3, udp(0x1400_0203, 9, 64, 100), 0);
    s.depart(u64::MAX).unwrap();
    let (before, default) = (shown(&s, table), s.default_action(table).unwrap().cloned());
    assert!(before.iter().any(|(_, c)| c.packets > 0));

    let refused = s.all_or_none(&[table], |s| {
        s.table_insert(table, route(s, table, 20_000, 1))?;
        s.table_insert(table, route(s, table, 20_001, 1))?;
        s.table_modify(table, &route(s, table, 2, 2))?;
        s.table_modify(table, &route(s, table, 20_001, 2))?;
        s.table_delete(table, &route(s, table, 2, 1).key, 0)?;
        s.table_delete(table, &route(s, table, 20_000, 1).key, 0)?;
        s.table_delete(table, &route(s, table, 7, 1).key, 0)?;
        s.table_insert(table, route(s, table, 2, 3))?;
        s.table_insert(table, route(s, table, 20_002, 1))?;
        s.reset_default_action(table)?;
        let inner = s.all_or_none(&[table], |s| {
            s.table_clear(table)?;
            s.table_insert(table, route(s, table, 3, 3))?;
            s.table_insert(table, route(s, table, 3, 3))
        });
        assert_eq!(inner, Err(ControlError::AlreadyExists));
        assert_eq!(s.table_len(table)?, before.len() + 1);
        s.table_clear(table)?;
        s.table_insert(table, route(s, table, 3, 3))?;
        s.table_insert(table, route(s, table, 3, 4))
    });
    assert_eq!(refused, Err(ControlError::AlreadyExists));
    assert_eq!(shown(&s, table), before);
    assert_eq!(s.default_action(table).unwrap().cloned(), default);
    // New entries go where they would have gone.
    s.table_insert(table, route(&s, table, 20_000, 1)).unwrap();
    let place = |(e, _): &(TableEntry, p4_engine::CounterValue)| *e == route(&s, table, 20_000, 1);
    assert_eq!(
        shown(&s, table).iter().position(place),
        before
            .iter()
            .position(|(e, _)| *e == route(&s, table, 5001, 1))
    );
    // And packets find what they found.
    for (i, out) in [
        (2, Some(1)),
        (7, Some(1)),
        (5000, None),
        (20_001, None),
        (20_000, Some(1)),
    ] {
        s.receive(3, udp(0x1400_0003 + (i << 8), 9, 64, 100), 0);
        assert_eq!(s.depart(u64::MAX).map(|d| d.port), out, "route {i}");
    }
}
