import {
  aDelete,
  anUpdate,
  aPut,
  ask,
  type Attributes,
  type Cases,
  condition,
  get,
  item,
  Key,
  keyOf,
  number,
  own,
  put,
  remove,
  TableName,
  tellWhy,
  transact,
} from "./words.ts"

const Put = (...of: Parameters<typeof aPut>) => ({ Put: aPut(...of) })
const Update = (...of: Parameters<typeof anUpdate>) => ({ Update: anUpdate(...of) })
const Delete = (...of: Parameters<typeof aDelete>) => ({ Delete: aDelete(...of) })
const Check = (sk: string, text: string, placeholders: Attributes = {}, more: object = {}) => ({
  ConditionCheck: { TableName, Key: keyOf(sk), ...condition(text, placeholders), ...more },
})
const adding = (sk: string, amount: number) => Update("ADD n :v", { ":v": amount }, { Key: keyOf(sk) })
const making = (sk: string) => Put({ sk }, { ...condition("attribute_not_exists(pk)"), ...tellWhy })
const numbered = (count: number) => Array.from({ length: count }, (_, at) => Put({ sk: `row-${at}` }))
const big = (length: number) => "x".repeat(length)

/**
 * Left out: an update that its item does not allow. AWS documents that it cancels the transaction, and
 * DynamoDB Local refuses the request.
 */
export const transactions: Cases = {
  "a transaction puts, updates, deletes and checks": [
    put({ sk: "changed", n: 1 }),
    put({ sk: "removed" }),
    put({ sk: "checked", n: 5 }),
    transact([
      Put({ sk: "made", text: "é" }),
      adding("changed", 2),
      Delete({ Key: keyOf("removed"), ...condition("attribute_exists(pk)") }),
      Check("checked", "n > :low", { ":low": 4 }),
    ]),
    ...["made", "changed", "removed", "checked"].map(get),
  ],
  "a cancelled transaction writes nothing, and gives a reason for each member": [
    put({ sk: "taken", n: 1 }),
    put({ sk: "other", n: 2 }),
    transact([
      Put({ sk: "new" }),
      making("taken"),
      Check("other", "n = :v", { ":v": 1 }),
      Check("other still", "attribute_exists(pk)", {}, tellWhy),
    ]),
    get("new"),
    get("taken"),
  ],
  "a refused update and deletion of a transaction tell the item if asked": [
    put({ sk: "a", n: 1 }),
    put({ sk: "b", n: 1 }),
    transact([
      Update("SET n = :v", { ":v": 2 }, { ConditionExpression: "n = :v", ...tellWhy }),
      Delete({ Key: keyOf("b"), ...condition("n = :v", { ":v": 2 }), ...tellWhy }),
    ]),
    transact([
      Update("SET n = :v", { ":v": 2 }, { ConditionExpression: "n = :v" }),
      Delete({ Key: keyOf("b"), ...condition("n = :v", { ":v": 2 }) }),
    ]),
    get(),
  ],
  "an update of a transaction does what it does alone": [
    put({ list: [1], gone: true, first: "kept", n: 1 }),
    transact(
      ["a", "b"].map((sk) =>
        Update(
          "SET #list = list_append(if_not_exists(#list, :none), :more), #first = if_not_exists(#first, :new), " +
            "total = if_not_exists(n, :zero) + :two REMOVE gone ADD n :two",
          {
            "#list": "list",
            "#first": "first",
            ":none": [],
            ":more": [2],
            ":new": "new",
            ":zero": 0,
            ":two": 2,
          },
          { Key: keyOf(sk) },
        ),
      ),
    ),
    get("a"),
    get("b"),
  ],
  "an index follows a transaction": [
    put({ pk: "follow 1", host: "other" }),
    put({ pk: "follow 2", host: own }),
    transact([
      Put({ host: own }),
      Update("SET host = :own", { ":own": own }, { Key: item({ pk: "follow 1", sk: "a" }) }),
      Delete({ Key: item({ pk: "follow 2", sk: "a" }) }),
    ]),
    ask("Query", {
      TableName,
      IndexName: "byHost",
      KeyConditionExpression: "host = :own",
      ExpressionAttributeValues: item({ ":own": own }),
    }),
  ],
  "a wrong key for an index cancels or refuses": [
    transact([Put({ sk: "b" }), Put({ host: 1 })]),
    transact([Put({ sk: "b" }), Update("SET host = :v", { ":v": 1 })]),
    get("b"),
  ],
  "a token that was used writes nothing more, and is refused with other content": [
    transact([adding("a", 1)], own),
    transact([adding("a", 1)], own),
    get(),
    transact([adding("a", 2)], own),
    transact([adding("a", 1), adding("b", 1)], own),
    get(),
    transact([adding("a", 1)], `${own}-another`),
    get(),
  ],
  "a token of a cancelled transaction is free": [
    put(),
    transact([making("a")], own),
    remove(),
    transact([making("a")], own),
    get(),
  ],
  "a token covers what its transaction said, not what it found": [
    put({ n: 1 }),
    transact([Check("a", "n = :v", { ":v": 1 }), Put({ sk: "b" })], own),
    put({ n: 2 }),
    remove({ Key: keyOf("b") }),
    transact([Check("a", "n = :v", { ":v": 1 }), Put({ sk: "b" })], own),
    get("b"),
  ],
  "a token is good for a condition of other text no more": [
    transact([Put({}, condition("attribute_not_exists(pk)"))], own),
    transact([Put({}, condition("attribute_not_exists(sk)"))], own),
    transact([Put()], own),
    transact([Put({ n: 1 }, condition("attribute_not_exists(pk)"))], own),
  ],
  "a transaction without a token is done each time": [
    transact([adding("a", 1)]),
    transact([adding("a", 1)]),
    get(),
  ],
  "a token has 1 to 36 characters": [
    transact([Put()], "x".repeat(36)),
    transact([Put()], "x".repeat(37)),
    get(),
  ],
  "a transaction has 1 to 100 members": [
    transact([]),
    transact(numbered(100)),
    get("row-99"),
    transact(numbered(101)),
    get("row-100"),
  ],
  "a transaction has one operation on a row": [
    transact([Put(), adding("a", 1)]),
    transact([Put(), Check("a", "attribute_exists(pk)")]),
    transact([Delete(), Delete()]),
    get(),
  ],
  "a member is exactly one operation": [
    transact([{ ...Put(), ...adding("b", 1) }]),
    transact([{}]),
    transact([Put(), { ...Delete({ Key: keyOf("b") }), ...Check("b", "attribute_exists(pk)") }]),
    get(),
  ],
  "a transaction has 4 MB at most": [
    transact(Array.from({ length: 10 }, (_, at) => Put({ sk: `row-${at}`, big: big(400_000) }))),
    transact(Array.from({ length: 11 }, (_, at) => Put({ sk: `more-${at}`, big: big(400_000) }))),
    get("more-0"),
  ],
  "a wrong member refuses the whole transaction": [
    transact([Put({ sk: "b" }), { Put: { TableName: "Nothings", Item: Key } }]),
    transact([Put({ sk: "b" }), { Put: { TableName, Item: { pk: Key.pk } } }]),
    transact([Put({ sk: "b" }), { Delete: { TableName, Key: { pk: Key.pk } } }]),
    transact([Put({ sk: "b" }), Delete({ Key: keyOf("") })]),
    transact([Put({ sk: "b" }), Put({ sk: "" })]),
    transact([Put({ sk: "b" }), Put({ n: number("one") })]),
    transact([Put({ sk: "b" }), Put({ n: number("1E126") })]),
    transact([Put({ sk: "b" }), Put({ big: big(410_000) })]),
    transact([Put({ sk: "b" }), Update("SAT n = :v", { ":v": 1 })]),
    transact([Put({ sk: "b" }), Update("SET n = :v", {})]),
    transact([Put({ sk: "b" }), Update("SET n = :v", { ":v": 1, ":w": 1 })]),
    transact([Put({ sk: "b" }), Update("SET n = :v, n = :v", { ":v": 1 })]),
    transact([Put({ sk: "b" }), Check("a", "n < :v", { ":v": true })]),
    transact([Put({ sk: "b" }), Check("a", "status = :v", { ":v": true })]),
    transact([Put({ sk: "b" }), Check("a", "")]),
    transact([Put({ sk: "b" }), { ConditionCheck: { TableName, Key } }]),
    get("b"),
  ],
  "a row that is too large with its update cancels its transaction": [
    put({ big: big(300_000) }),
    transact([Put({ sk: "b" }), Update("SET more = :v", { ":v": big(200_000) })]),
    get("b"),
  ],
  "a transaction may make and remove what is there and what is not": [
    put({ sk: "there" }),
    transact([Put({ sk: "there", n: 1 }), Delete({ Key: keyOf("nothing") }), Delete()]),
    get("there"),
  ],
}
