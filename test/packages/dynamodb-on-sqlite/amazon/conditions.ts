import {
  type Attributes,
  bytes,
  type Cases,
  condition,
  get,
  number,
  put,
  raw,
  remove,
  tellWhy,
} from "./words.ts"

const row: Attributes = {
  n: 5,
  negative: -3,
  fine: number("0.1234567890123456789012345678901234567"),
  word: "middle",
  blank: "",
  accent: "é",
  sure: true,
  never: false,
  nothing: null,
  bin: bytes(1, 2, 255),
  ls: [1, "two", [3]],
  tree: { a: 1, b: { c: "deep" } },
  "with.dot": 1,
  status: "reserved",
}

/** By the condition: what its placeholders stand for. Each is asked of `row`. */
const asked: [text: string, placeholders?: Attributes][] = [
  // Whether it is there.
  ["attribute_exists(pk)"],
  ["attribute_exists(absent)"],
  ["attribute_not_exists(pk)"],
  ["attribute_not_exists(absent)"],
  ["attribute_exists(nothing)"],
  ["attribute_exists(blank)"],
  ["attribute_exists(ls[3])"],
  ["attribute_exists(#dotted)", { "#dotted": "with.dot" }],
  ["attribute_exists(:v)", { ":v": 1 }],
  ["attribute_exists()"],
  // Comparisons, of what has an order.
  ...["=", "<>", "<", "<=", ">", ">="].flatMap((by): [string, Attributes?][] => [
    [`n ${by} :v`, { ":v": 5 }],
    [`n ${by} :v`, { ":v": 6 }],
    [`n ${by} :v`, { ":v": "5" }],
    [`word ${by} :v`, { ":v": "n" }],
    [`bin ${by} :v`, { ":v": bytes(1, 3) }],
    [`absent ${by} :v`, { ":v": 5 }],
    [`n ${by} absent`],
  ]),
  ["negative < n"],
  ["negative < :v", { ":v": -2.5 }],
  ["n = :v", { ":v": number("5.0") }],
  ["n > :v", { ":v": number("1E-130") }],
  ["accent > :v", { ":v": "z" }],
  ["accent < :v", { ":v": "\u{1F600}" }],
  // Comparisons, of what has none.
  ["sure = :v", { ":v": true }],
  ["sure = :v", { ":v": false }],
  ["nothing = :v", { ":v": null }],
  ["ls = :v", { ":v": [1, "two", [3]] }],
  ["ls = :v", { ":v": [1, "two"] }],
  ["tree = :v", { ":v": { b: { c: "deep" }, a: 1 } }],
  ["tree = :v", { ":v": { a: 1 } }],
  ["sure < :v", { ":v": false }],
  ["sure < never"],
  [":v = :v", { ":v": 1 }],
  [":v = :w", { ":v": 1, ":w": 1 }],
  // In, size.
  ["n IN (:a, :b)", { ":a": 4, ":b": 5 }],
  ["n IN (:a)", { ":a": "5" }],
  ["absent IN (:a)", { ":a": 5 }],
  ["n IN ()"],
  ["size(ls) = :v", { ":v": 3 }],
  ["size(absent) = :v", { ":v": 0 }],
  ["size(ls) <= :v", { ":v": "3" }],
  ["size(word)"],
  // Together.
  ["n = :v AND sure = :yes", { ":v": 5, ":yes": true }],
  ["n = :v AND sure = :yes", { ":v": 5, ":yes": false }],
  ["n = :v OR sure = :yes", { ":v": 6, ":yes": true }],
  ["sure = :yes OR sure = :yes AND never = :yes", { ":yes": true }],
  ["(sure = :yes OR sure = :yes) AND never = :yes", { ":yes": true }],
  ["(n = :v AND (sure = :yes))", { ":v": 5, ":yes": true }],
  ["((n = :v))", { ":v": 5 }],
  // What cannot be read.
  [""],
  ["n"],
  ["n = "],
  ["n == :v", { ":v": 5 }],
  ["n = :v n", { ":v": 5 }],
  ["(n = :v", { ":v": 5 }],
  ["n = :v)", { ":v": 5 }],
  ["n = :v AND", { ":v": 5 }],
  ["n = 5"],
  ["status = :v", { ":v": "reserved" }],
  ["#s = :v", { "#s": "status", ":v": "reserved" }],
  // Placeholders.
  ["n = :v"],
  ["#n = :v", { ":v": 5 }],
  ["n = :v", { ":v": 5, ":w": 6 }],
  ["n = :v", { "#n": "n", ":v": 5 }],
  ["#n = :v", { "#n": "", ":v": 5 }],
  ["n = :v", { ":v": number("five") }],
  ["n = :v", { ":v": raw({ NULL: false }) }],
]

const shown = (text: string) => JSON.stringify(text)

/** Each is asked by a deletion, which an item that is not there lets pass as well. */
export const conditions: Cases = {
  ...Object.fromEntries(
    asked.map(([text, placeholders]) => [
      `the condition ${shown(text)}${placeholders ? `, ${shown(JSON.stringify(placeholders))}` : ""}`,
      [put(row), remove(condition(text, placeholders))],
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        ["attribute_exists(pk)"],
        ["attribute_not_exists(pk)"],
        ["n = :v", { ":v": 5 }],
        ["n <> :v", { ":v": 5 }],
        ["n < :v", { ":v": 5 }],
      ] as [string, Attributes?][]
    ).map(([text, placeholders]) => [
      `the condition ${shown(text)} where there is no item`,
      [remove(condition(text, placeholders))],
    ]),
  ),
  "a refused put tells the item if asked, and changes nothing": [
    put({ n: 1 }),
    put({ n: 2 }, { ...condition("n > :v", { ":v": 5 }), ...tellWhy }),
    put({ n: 2 }, condition("n > :v", { ":v": 5 })),
    get(),
  ],
  "a refused deletion tells the item if asked, and changes nothing": [
    put({ n: 1 }),
    remove({ ...condition("n > :v", { ":v": 5 }), ...tellWhy }),
    remove(condition("n > :v", { ":v": 5 })),
    get(),
  ],
  "a refused write tells no item where there is none": [
    put({}, { ...condition("attribute_exists(pk)"), ...tellWhy }),
    remove({ ...condition("attribute_exists(pk)"), ...tellWhy }),
    get(),
  ],
}
