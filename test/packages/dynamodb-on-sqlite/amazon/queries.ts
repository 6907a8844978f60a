import {
  ask,
  type Attributes,
  bytes,
  type Cases,
  item,
  keyOf,
  number,
  own,
  put,
  query,
  remove,
  TableName,
  update,
} from "./words.ts"

/** Keys in the order of their bytes in UTF-8, which is not that of JavaScript. */
const inOrder = [
  "A",
  "B",
  "Z",
  "a",
  "a#",
  "a#1",
  "a#2",
  "a-",
  "aa",
  "b",
  "~",
  "é",
  "\uE000",
  "\uFFFD",
  "\u{1F600}",
  "\u{10FFFF}",
]
const texts = inOrder.toReversed().map((sk) => put({ sk }))
const letters = ["a", "b", "c", "d", "e"].map((sk, at) => put({ sk, n: at }))
const from = (sk: string) => ({ ExclusiveStartKey: keyOf(sk) })

/** Rows of partitions that each case calls otherwise: rows of one key have no order in an index. */
const hosts = (partition: string) => [
  put({ pk: `${partition} 1`, host: own, n: 1 }),
  put({ pk: `${partition} 2`, host: own, n: 2 }),
  put({ pk: `${partition} 3`, n: 3 }),
]
const byHost = (condition = "", placeholders: Attributes = {}, more: object = {}) => ({
  ...query("", placeholders, more),
  input: {
    TableName,
    IndexName: "byHost",
    KeyConditionExpression: `host = :own${condition}`,
    ExpressionAttributeValues: item({ ":own": own, ...placeholders }),
    ...more,
  },
})
let shards = 0
/** A case's own partition of the index `bySince`, whose keys are numbers. */
function aShard() {
  const shard = ++shards
  return {
    row: (sk: string, since: Attributes[string]) => put({ sk, shard, since }),
    query: (condition = "", placeholders: Attributes = {}, more: object = {}) =>
      ask("Query", {
        TableName,
        IndexName: "bySince",
        KeyConditionExpression: `#shard = :shard${condition}`,
        ExpressionAttributeNames: { "#shard": "shard" },
        ExpressionAttributeValues: item({ ":shard": shard, ...placeholders }),
        ...more,
      }),
    from: (sk: string, since: number) => ({
      ExclusiveStartKey: { ...keyOf(sk), ...item({ shard, since }) },
    }),
  }
}
const [ordered, bounds, keysOnly] = [aShard(), aShard(), aShard()]

const ranges: [condition: string, placeholders: Attributes][] = [
  [" AND sk = :v", { ":v": "a" }],
  [" AND sk < :v", { ":v": "a#" }],
  [" AND sk <= :v", { ":v": "a#" }],
  [" AND sk > :v", { ":v": "a#" }],
  [" AND sk >= :v", { ":v": "a#" }],
  [" AND sk BETWEEN :v AND :w", { ":v": "a#", ":w": "aa" }],
  [" AND sk BETWEEN :v AND :w", { ":v": "\uE000", ":w": "\u{1F600}" }],
  [" AND sk > :v", { ":v": "\uFFFD" }],
  [" AND begins_with(sk, :v)", { ":v": "a" }],
  [" AND begins_with(sk, :v)", { ":v": "a#" }],
  [" AND begins_with(sk, :v)", { ":v": "\u{10FFFF}" }],
  [" AND begins_with(sk, :v)", { ":v": "\uFFFD" }],
  [" AND begins_with(sk, :v)", { ":v": "none" }],
]

const refused: [condition: string, placeholders?: Attributes][] = [
  [" AND other = :v", { ":v": "a" }],
  [" AND sk > :v AND sk < :w", { ":v": "a", ":w": "b" }],
  [" AND pk = :own"],
  [" AND sk = :v", { ":v": 1 }],
  [" AND sk = :v", { ":v": "" }],
  [" AND begins_with(sk, :v)", { ":v": 1 }],
  [" AND sk BETWEEN :v AND :w", { ":v": "b", ":w": "a" }],
  [" AND sk BETWEEN :v AND :w", { ":v": "a", ":w": 1 }],
  [" AND"],
  [" AND sk"],
  [" AND sk = :v"],
  [" AND sk = :v", { ":v": "a", ":w": "b" }],
  [" AND sk = :v", { "#n": "n", ":v": "a" }],
]

const whole = (KeyConditionExpression: string, values?: Attributes) =>
  ask("Query", {
    TableName,
    KeyConditionExpression,
    ...(values && { ExpressionAttributeValues: item(values) }),
  })

export const queries: Cases = {
  "a query gives a partition's rows in the order of their keys' bytes": [...texts, query("")],
  "a query gives them backwards as well": [...texts, query("", {}, { ScanIndexForward: false })],
  "a query of an empty partition gives none": [query("")],
  ...Object.fromEntries(
    ranges.map(([condition, placeholders]) => [
      `the range ${condition} of ${JSON.stringify(placeholders)}`,
      [
        ...texts,
        query(condition, placeholders),
        query(condition, placeholders, { ScanIndexForward: false, Limit: 2 }),
      ],
    ]),
  ),
  ...Object.fromEntries(
    refused.map(([condition, placeholders]) => [
      `the key condition ${condition}${placeholders ? `, ${JSON.stringify(placeholders)}` : ""}`,
      [query(condition, placeholders)],
    ]),
  ),
  "a key condition names the whole partition key": [
    whole("sk = :v", { ":v": "a" }),
    whole("pk > :v", { ":v": "a" }),
    whole("begins_with(pk, :v)", { ":v": "a" }),
    whole("pk = :v", { ":v": 1 }),
    whole("pk = :v", { ":v": "" }),
    whole(""),
    whole("pk = :v"),
    whole("sk = :v AND pk = :v", { ":v": own }),
  ],
  "a query is read in pages": [
    ...letters,
    query("", {}, { Limit: 2 }),
    query("", {}, { Limit: 2, ...from("b") }),
    query("", {}, { Limit: 2, ...from("d") }),
    query("", {}, { Limit: 5 }),
    query("", {}, { Limit: 6 }),
    query("", {}, from("e")),
    query("", {}, { Limit: 1, ScanIndexForward: false, ...from("c") }),
    query("", {}, { ScanIndexForward: false, ...from("a") }),
  ],
  "a page begins behind a row that is no longer there": [
    ...letters,
    remove({ Key: keyOf("b") }),
    query("", {}, from("b")),
    query("", {}, { ScanIndexForward: false, ...from("b") }),
  ],
  "a page of a range ends with the range": [
    ...letters,
    query(" AND sk BETWEEN :v AND :w", { ":v": "b", ":w": "d" }, { Limit: 2 }),
    query(" AND sk BETWEEN :v AND :w", { ":v": "b", ":w": "d" }, { Limit: 2, ...from("c") }),
    query(" AND begins_with(sk, :v)", { ":v": "c" }, { Limit: 1 }),
    query(" AND begins_with(sk, :v)", { ":v": "c" }, { Limit: 1, ...from("c") }),
  ],
  "a page begins only where the query does": [
    ...letters,
    query("", {}, { ExclusiveStartKey: item({ pk: "another", sk: "a" }) }),
  ],
  "a page's begin has the form of a key": [
    query("", {}, { ExclusiveStartKey: item({ pk: own }) }),
    query("", {}, { ExclusiveStartKey: item({ pk: own, sk: 1 }) }),
    query("", {}, { ExclusiveStartKey: item({ pk: own, sk: "a", n: 1 }) }),
    query("", {}, { ExclusiveStartKey: item({ pk: own, sk: "" }) }),
    byHost("", {}, from("a")),
    byHost("", {}, { ExclusiveStartKey: item({ pk: own, sk: "a", host: 1 }) }),
  ],
  "a page has one row at least": [query("", {}, { Limit: 0 }), query("", {}, { Limit: -1 })],
  "a page holds no more than 1 MB": [
    ...["a", "b", "c", "d", "e"].map((sk) => put({ sk, big: "x".repeat(349_000) })),
    query(""),
    query("", {}, from("c")),
    query("", {}, { ScanIndexForward: false }),
  ],
  "a query gives the attributes it is asked for": [
    put({ n: 1, text: "a", status: "b" }),
    query("", {}, { ProjectionExpression: "sk" }),
    query("", {}, { ProjectionExpression: "pk, sk" }),
    query("", {}, { ProjectionExpression: "n,other" }),
    query("", { "#s": "status" }, { ProjectionExpression: "#s, n" }),
    query("", {}, { ProjectionExpression: "status" }),
    query("", {}, { ProjectionExpression: "n, n" }),
    query("", { "#n": "n" }, { ProjectionExpression: "n, #n" }),
    query("", {}, { ProjectionExpression: "" }),
    query("", {}, { ProjectionExpression: "n text" }),
    query("", {}, { ProjectionExpression: "n," }),
    query("", {}, { ProjectionExpression: ":own" }),
    query("", {}, { ProjectionExpression: "#s" }),
    query("", { "#s": "status" }, { ProjectionExpression: "n" }),
  ],
  "a query is consistent, of a table": [
    put({ host: own }),
    query("", {}, { ConsistentRead: true }),
    byHost("", {}, { ConsistentRead: true }),
  ],
  "an index holds the rows that have its key": [
    ...hosts("held"),
    byHost(),
    byHost("", {}, { ScanIndexForward: false }),
  ],
  "an index is read in pages": [
    ...hosts("paged"),
    byHost("", {}, { Limit: 1 }),
    byHost("", {}, { Limit: 1, ExclusiveStartKey: item({ pk: "paged 1", sk: "a", host: own }) }),
    byHost("", {}, { Limit: 2, ExclusiveStartKey: item({ pk: "paged 2", sk: "a", host: own }) }),
  ],
  "an index has ranges": [
    ...hosts("ranged"),
    byHost(" AND pk = :v", { ":v": "ranged 2" }),
    byHost(" AND pk > :v", { ":v": "ranged 1" }),
    byHost(" AND begins_with(pk, :v)", { ":v": "ranged" }),
    byHost(" AND sk = :v", { ":v": "a" }),
  ],
  "an index that is not there is refused": [
    ask("Query", {
      TableName,
      IndexName: "byOther",
      KeyConditionExpression: "host = :own",
      ExpressionAttributeValues: item({ ":own": own }),
    }),
  ],
  "an index follows a row that changes, leaves it and is deleted": [
    put({ host: own, n: 1 }),
    update("SET n = :v", { ":v": 9 }),
    byHost(),
    update("REMOVE host"),
    byHost(),
    update("SET host = :own", { ":own": own }),
    byHost(),
    remove(),
    byHost(),
  ],
  "an index of numbers is in their order": [
    ...[
      "10",
      "9",
      "-1",
      "-10",
      "0",
      "1.5",
      "1E3",
      "-1E-5",
      "1E-5",
      "-1.5",
      "99999999999999999999999999999999999999",
    ].map((text) => ordered.row(text, number(text))),
    ordered.query(),
    ordered.query("", {}, { ScanIndexForward: false, Limit: 3 }),
    ordered.query(" AND since > :v", { ":v": 0 }),
    ordered.query(" AND since <= :v", { ":v": -1 }),
    ordered.query(" AND since BETWEEN :v AND :w", { ":v": -1, ":w": 1.5 }),
    ordered.query(" AND since = :v", { ":v": number("1000.0") }),
    ordered.query("", {}, { ...ordered.from("9", 9), Limit: 1 }),
  ],
  "a number's index takes no other value": [
    bounds.query(" AND since > :v", { ":v": "1" }),
    bounds.query(" AND begins_with(since, :v)", { ":v": 1 }),
    bounds.query(" AND begins_with(since, :v)", { ":v": "1" }),
    bounds.query(" AND since BETWEEN :v AND :w", { ":v": 2, ":w": 1 }),
    bounds.query(" AND since = :v", { ":v": bytes(1) }),
    bounds.query(" AND since = :v", { ":v": number("one") }),
  ],
  "an index of keys holds nothing else": [
    keysOnly.row("a", 1),
    put({ sk: "b", shard: 3, since: 2, n: 1 }),
    keysOnly.query(),
    update("SET n = :v", { ":v": 1 }),
    keysOnly.query(" AND since >= :v", { ":v": 2 }),
  ],
}
