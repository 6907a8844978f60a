import {
  type Attributes,
  ask,
  bytes,
  type Cases,
  get,
  Key,
  keyOf,
  number,
  put,
  raw,
  TableName,
  tellWhy,
  update,
} from "./words.ts"

const row: Attributes = {
  n: 5,
  word: "old",
  sure: true,
  nothing: null,
  bin: bytes(1),
  ls: [1, 2, 3, 4, 5],
  nest: [[1, 2], [3]],
  tree: { a: 1, b: { c: "deep", d: [10, 20] } },
}

/** By the update: what its placeholders stand for. Each changes `row`. */
const asked: [text: string, placeholders?: Attributes][] = [
  // SET.
  ["SET word = :v", { ":v": "new" }],
  ["SET fresh = :v", { ":v": "new" }],
  ["SET word = :v, fresh = :w", { ":v": null, ":w": { a: [] } }],
  ["SET #a = :v", { "#a": "status", ":v": "reserved" }],
  ["SET status = :v", { ":v": "reserved" }],
  ["SET fresh = :v", { ":v": "" }],
  ["SET pk = :v", { ":v": "new" }],
  ["SET #a = :v", { "#a": "sk", ":v": "a" }],
  // Sums.
  ["SET n = n + :v", { ":v": 2 }],
  ["SET n = n - :v", { ":v": 7.5 }],
  ["SET fresh = :v + :w", { ":v": number("0.1"), ":w": number("0.2") }],
  ["SET n = n + 1"],
  ["SET n = n + :v", { ":v": "2" }],
  ["SET word = word + :v", { ":v": 2 }],
  ["SET fresh = absent + :v", { ":v": 2 }],
  ["SET n = :v - :w", { ":v": 9007199254740991, ":w": -9007199254740991 }],
  // if_not_exists, list_append.
  ["SET n = if_not_exists(n, :v)", { ":v": 0 }],
  ["SET fresh = if_not_exists(fresh, :v)", { ":v": 0 }],
  ["SET fresh = if_not_exists(nothing, :v)", { ":v": 0 }],
  ["SET n = if_not_exists(n, :v) + :w", { ":v": 0, ":w": 1 }],
  ["SET fresh = if_not_exists(fresh, :v) + :w", { ":v": 0, ":w": 1 }],
  ["SET fresh = if_not_exists(fresh)"],
  ["SET ls = list_append(ls, :v)", { ":v": ["new"] }],
  ["SET ls = list_append(ls, :v)", { ":v": "new" }],
  ["SET fresh = list_append(fresh, :v)", { ":v": ["new"] }],
  ["SET fresh = list_append(if_not_exists(fresh, :none), :v)", { ":none": [], ":v": ["new"] }],
  ["SET ls = list_append(if_not_exists(ls, :none), :v)", { ":none": [], ":v": [[1]] }],
  ["SET fresh = other_function(word)"],
  // REMOVE.
  ["REMOVE word"],
  ["REMOVE word, n"],
  ["REMOVE absent"],
  ["REMOVE ls[0]"],
  ["REMOVE ls[9]"],
  ["REMOVE ls[1], ls[0]"],
  ["REMOVE pk"],
  ["REMOVE word = :v", { ":v": 1 }],
  // ADD.
  ["ADD n :v", { ":v": 2 }],
  ["ADD n :v", { ":v": -7 }],
  ["ADD n :v, fresh :v", { ":v": 2 }],
  ["ADD n :v", { ":v": "2" }],
  ["ADD word :v", { ":v": 2 }],
  ["ADD n n"],
  ["ADD pk :v", { ":v": 2 }],
  // Several clauses.
  ["SET word = :v REMOVE sure ADD n :n", { ":v": "new", ":n": 1 }],
  ["REMOVE word, SET fresh = :v", { ":v": 1 }],
  ["SET word = :v SET fresh = :v", { ":v": "new" }],
  ["SET word = :v, word = :w", { ":v": 1, ":w": 2 }],
  ["SET word = :v REMOVE word", { ":v": 1 }],
  ["SET #a = :v REMOVE word", { "#a": "word", ":v": 1 }],
  ["SET n = :v ADD n :v", { ":v": 1 }],
  // What cannot be read.
  [""],
  ["SET"],
  ["word = :v", { ":v": 1 }],
  ["SET word :v", { ":v": 1 }],
  ["SET word = :v,", { ":v": 1 }],
  ["SET word = :v fresh = :v", { ":v": 1 }],
  // Placeholders.
  ["SET word = :v"],
  ["SET #a = :v", { ":v": 1 }],
  ["SET word = :v", { ":v": 1, ":w": 1 }],
  ["SET word = :v", { "#a": "a", ":v": 1 }],
  ["SET word = :v", { ":v": number("1E126") }],
  ["SET word = :v", { ":v": raw({ NULL: false }) }],
]

const shown = (text: string) => JSON.stringify(text)

const big = (length: number) => "x".repeat(length)

const quietly = { ReturnValues: "NONE" }

export const updates: Cases = {
  ...Object.fromEntries(
    asked.map(([text, placeholders]) => [
      `the update ${shown(text)}${placeholders ? `, ${shown(JSON.stringify(placeholders))}` : ""}`,
      [put(row), update(text, placeholders)],
    ]),
  ),
  "an update makes an item that is not there, of its key and what is set": [
    update("SET n = if_not_exists(n, :v) + :v ADD m :v", { ":v": 1 }),
    get(),
  ],
  "an update that only removes makes an item of its key alone": [update("REMOVE n"), get()],
  "an update answers with nothing unless asked": [
    put({ n: 1 }),
    update("SET n = :v", { ":v": 2 }, quietly),
    update("SET n = :v", { ":v": 3 }, { ReturnValues: undefined }),
    get(),
  ],
  "a refused update tells the item if asked, and changes nothing": [
    put({ n: 1 }),
    update("SET n = :v", { ":v": 2 }, { ConditionExpression: "n = :v", ...tellWhy }),
    update("SET n = :v", { ":v": 2 }, { ConditionExpression: "n = :v" }),
    get(),
  ],
  "a condition is judged on the item as it was": [
    put({ n: 1 }),
    update("SET n = n + :v", { ":v": 1 }, { ConditionExpression: "n = :v" }),
    update("SET n = n + :v", { ":v": 1 }, { ConditionExpression: "n = :v" }),
  ],
  "a condition and an update share their placeholders": [
    put({ n: 1 }),
    update("SET #n = #n + :v", { "#n": "n", ":v": 1 }, { ConditionExpression: "#n < :most" }),
    update("SET #n = #n + :v", { "#n": "n", ":v": 1, ":most": 9 }, { ConditionExpression: "#n < :most" }),
  ],
  "an update may not make an item larger than 400 KB": [
    put({ big: big(200_000) }),
    update("SET more = :v", { ":v": big(209_570) }, quietly),
    update("SET more = :v", { ":v": big(209_590) }, quietly),
    update("SET more = :v", { ":v": big(410_000) }, quietly),
    update("SET gone = :v REMOVE big", { ":v": big(300_000) }, quietly),
  ],
  "an update of a key of another form is refused": [
    ask("UpdateItem", { TableName, Key: { pk: Key.pk }, UpdateExpression: "REMOVE n" }),
    ask("UpdateItem", { TableName, Key: { ...Key, n: { N: "1" } }, UpdateExpression: "REMOVE n" }),
    ask("UpdateItem", { TableName, Key: { ...Key, sk: { N: "1" } }, UpdateExpression: "REMOVE n" }),
    ask("UpdateItem", { TableName, Key: keyOf(""), UpdateExpression: "REMOVE n" }),
    ask("UpdateItem", { TableName: "Nothings", Key, UpdateExpression: "REMOVE n" }),
  ],
  "an update may not give an index's key another type, or make it empty": [
    put({ host: "one", shard: 1, since: 1 }),
    update("SET host = :v", { ":v": 1 }),
    update("SET host = :v", { ":v": "" }),
    update("SET since = :v", { ":v": "1" }),
    update("SET since = :v", { ":v": null }),
    update("REMOVE host"),
    get(),
  ],
}
