// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

document.getElementById("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = document.getElementById("answer");
  answer.textContent = "";
  const response = await fetch("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: document.getElementById("token").value }),
  });
  if (response.ok) {
    location.assign("/");
  } else {
    answer.textContent = (await response.json()).error;
  }
});
