import { expect, test } from "vitest";
import { secretKindIn } from "../../src/shared/text/secrets.ts";
import { random } from "../kit/random.ts";

const hex = (length: number) => "0123456789abcdef".repeat(9).slice(0, length);
const letters = (length: number) => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".repeat(9).slice(0, length);

test.each([
  ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r"],
  ["an AWS access key", `AKIA${"Q2WZ".repeat(4)}`],
  ["a GitHub token", `ghp_${letters(36)}`],
  ["a GitLab token", `use glpat-${letters(20)} for it`],
  ["a Slack token", `xoxb-1${letters(20)}`],
  ["a Stripe key", `sk_live_${letters(24)}`],
  ["an Anthropic key", `sk-ant-api03-${letters(93)}AA`],
  ["a Google key", `AIza${letters(35)}`],
  ["a DigitalOcean token", `dop_v1_${hex(64)}`],
  ["a signed token", `eyJ${letters(30)}.eyJ${letters(60)}.${letters(43)}`],
  ["a password in a URL", "postgres://ada:s3cretpw@db.example/notes"],
  ["a password or key", "password: hunter2!"],
  ["a password or key", "The wifi password is Sommer2026"],
  ["a password or key", "DB_PASSWORD=s3cr3tpw"],
  ["a password or key", "Das Passwort lautet Abc123!x"],
  ["a PIN or door code", "My PIN is 4821"],
  ["a PIN or door code", "The door code is 4711#"],
  ["a card number", "Visa 4111 1111 1111 1111, 12/29"],
  ["a card number", "Amex 378282246310005"],
])("%s is seen", (what, text) => {
  expect(secretKindIn(text)).toBe(what);
});

test.each([
  "The password policy asks for 12 characters",
  "Password: see 1Password, under “Bank”",
  "Password = process.env.DB_PASSWORD1",
  `password: $${"{"}DB_PASSWORD}`,
  "The password was changed 2026-10-12",
  "PIN 4 of the connector is bent",
  "Order 1234567890123456, ISBN 9783161484100",
  "The secret: never hurry",
  "api key: rotate every 90 days",
  "Card 4111 1111 1111 1112 has a wrong check digit",
  "https://notes.example/open/doc/0190a4b1-7c5e-7d3a-9f10-2b6c8d4e5f60",
])("%j is not a secret", (text) => {
  expect(secretKindIn(text)).toBeUndefined();
});

const list = (texts: string) => texts.split("|");
const PEOPLE = list("Grace|Alan|Ada|the board|the landlord|my sister");
const THINGS = list(
  "the slides|the contract|version 2.14.3|order 4417-220-918|the key of the cellar|invoice 2026-00417",
);
const VERBS = list("send|check|renew|cancel|discuss|pay for|pin|pass on|reset the password of");
const WHEN = list("on 6 October 2026|by 17:30|before 2026-12-24|next week|at room 4.118|for 1,240.50 EUR");
const MORE = [
  "Call +49 30 901820 if it is late.",
  "See https://example.org/a/b?c=1234567890 and commit 3f2504e04f8911d39a0c0305e82c3301.",
  "The token ring was replaced; the secret is to start early.",
  "IBAN DE89 3704 0044 0532 0130 00, booking ABX7Q2.",
  "Password rules: at least eight characters. The PIN pad is broken.",
  "const key = process.env.API_KEY ?? readKey(path);",
  "Build 20261125.3 took 14 of 15 points, id 0190a4b1-7c5e-7d3a-9f10-2b6c8d4e5f60.",
];

test("ten thousand ordinary texts raise no alarm", () => {
  const next = random(27);
  const one = (list: readonly string[]) => list[Math.floor(next() * list.length)] ?? "";
  for (let turn = 0; turn < 10_000; turn++) {
    const text = `${one(PEOPLE)} wants to ${one(VERBS)} ${one(THINGS)} ${one(WHEN)}. ${one(MORE)} ${one(MORE)}`;
    expect(secretKindIn(text), text).toBeUndefined();
  }
});
