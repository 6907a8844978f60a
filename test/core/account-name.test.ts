import { expect, test } from "vitest"
import { AccountName } from "#core/account/account-name.ts"

test.for([
  "WhatsApp Support",
  "W.h.a.t.s.A.p.p",
  "Wh\u0430ts\u0410pp",
  "\u13b3hatsapp",
  "\u051d\u04bb\u0430t\u0455\u0430\u0440\u0440",
  "\u051d\u04bb\u0430\u0442\u0455\u0430\u0440\u0440",
  "M\u0435ta",
  "Instagram",
  "My Bank",
  "B\u0430nk of X",
  "Bankhaus Meier",
  "Sparkasse",
  "Official help desk",
  "Supp\u043ert team",
  "Kundendienst",
  "Soporte",
  "S\u00e9curit\u00e9",
  "Servi\u00e7o de seguran\u00e7a",
  "Ba\u200bnk of Spain",
  "Sup\u200dport",
  "b\u200b\u0430\u200bnk",
  "W\u029c\u1d00\u1d1bs\u1d00\u1d18\u1d18",
  "B\u0251nk",
  "VVhatsApp",
  "Customer-care",
  "_Support_",
  "Facebook1",
  "Kundensupport",
  "Deutsche Bank24",
])("no account may be named %j", (name) => {
  expect(AccountName.Chosen.safeParse(name).success).toBe(false)
})

test.for([
  "Caf\u00e9 M\u00fcller",
  "Bankett am See",
  "\u041a\u043e\u0444\u0435\u0439\u043d\u044f \u041b\u044c\u0432\u0456\u0432",
  "\u03a4\u03b1\u03b2\u03ad\u03c1\u03bd\u03b1 Zorbas",
  "\u0645\u062e\u0628\u0632",
  "\u6771\u4eac\u30ab\u30d5\u30a7",
  "\u{1f600}".repeat(64),
  "\u{1f1e9}\u{1f1ea}".repeat(40),
  "Metalwork",
  "Banksy Prints",
  "\u00b5Torrent",
  "k\u03a9 Audio",
  "\u0394T Systems",
  "\u03b2Carotin",
])("an account may be named %j", (name) => {
  expect(AccountName.Chosen.parse(name)).toBe(name)
})

test("the operator gives a name that promises trust, but none of WhatsApp", () => {
  for (const name of [
    "Food Bank London",
    "Meta Design",
    "\u041c\u0435\u0442\u0430-\u0421\u0435\u0440\u0432\u0438\u0441",
  ]) {
    expect(AccountName.Chosen.safeParse(name).success).toBe(false)
    expect(AccountName.Name.parse(name)).toBe(name)
  }
  expect(AccountName.Name.safeParse("The WhatsApp Shop").success).toBe(false)
})
