import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { expect, test } from "vitest"
import { adding, aStoreOfThings, creating, keyOf, putting, TableName, type Member } from "./things.ts"

test("200 transactions race for 20 items, and exactly 20 succeed, each whole", async () => {
  const { transact, get } = await aStoreOfThings()
  const racers = Array.from({ length: 200 }, (_, racer) =>
    transact([creating(`a${racer % 20}`, { racer }), creating(`b${racer % 20}`, { racer })]),
  )
  const outcomes = await Promise.allSettled(racers)

  expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(20)
  for (let item = 0; item < 20; item++) {
    const [a, b] = [await get(`a${item}`), await get(`b${item}`)]
    expect(a!.racer).toBe(b!.racer)
    expect(outcomes[Number(a!.racer)]!.status).toBe("fulfilled")
  }
})

test("a cancelled transaction writes nothing and tells by position who failed, on which item", async () => {
  const { transact, put, get } = await aStoreOfThings()
  await put("taken", { owner: "somebody" })
  await put("other", { owner: "else" })
  const refused: Member = {
    ConditionCheck: {
      TableName,
      Key: keyOf("other"),
      ConditionExpression: "#owner = :me",
      ExpressionAttributeNames: { "#owner": "owner" },
      ExpressionAttributeValues: { ":me": "me" },
    },
  }

  const outcome = transact([putting("new"), creating("taken"), refused])

  await expect(outcome).rejects.toMatchObject({
    name: "TransactionCanceledException",
    message: expect.stringContaining("[None, ConditionalCheckFailed, ConditionalCheckFailed]"),
    CancellationReasons: [
      { Code: "None" },
      // The document client leaves errors as they came.
      { Code: "ConditionalCheckFailed", Item: { owner: { S: "somebody" } } },
      expect.not.objectContaining({ Item: expect.anything() }),
    ],
  })
  expect(await get("new")).toBeUndefined()
})

test("put, update, delete and check work together", async () => {
  const { transact, put, get } = await aStoreOfThings()
  await put("changed", { n: 1 })
  await put("removed")
  await put("checked", { n: 5 })

  await transact([
    putting("made", { text: "é", bytes: new Uint8Array([0, 255]) }),
    adding("changed", 2),
    { Delete: { TableName, Key: keyOf("removed"), ConditionExpression: "attribute_exists(pk)" } },
    {
      ConditionCheck: {
        TableName,
        Key: keyOf("checked"),
        ConditionExpression: "n BETWEEN :low AND :high",
        ExpressionAttributeValues: { ":low": 4, ":high": 6 },
      },
    },
  ])

  expect(await get("made")).toMatchObject({ text: "é", bytes: new Uint8Array([0, 255]) })
  expect(await get("changed")).toMatchObject({ n: 3 })
  expect(await get("removed")).toBeUndefined()
  expect(await get("checked")).toEqual({ ...keyOf("checked"), n: 5 })
})

const updated = (pk: string): Member => ({
  Update: {
    TableName,
    Key: keyOf(pk),
    UpdateExpression:
      "SET #list = list_append(if_not_exists(#list, :none), :more), #first = if_not_exists(#first, :now), " +
      "#sum = if_not_exists(n, :zero) + :two REMOVE gone ADD n :two",
    ExpressionAttributeNames: { "#list": "list", "#first": "first", "#sum": "sum" },
    ExpressionAttributeValues: {
      ":none": [],
      ":more": [2, 3],
      ":now": "new",
      ":zero": 0,
      ":two": 2,
    },
  },
})

test("update expressions do in a transaction what they do alone", async () => {
  const { transact, put, get } = await aStoreOfThings()
  await put("old", { list: [1], gone: true, first: "kept", n: 1 })
  await transact([updated("old"), updated("new")])

  expect(await get("old")).toEqual({
    ...keyOf("old"),
    list: [1, 2, 3],
    first: "kept",
    sum: 3,
    n: 3,
  })
  expect(await get("new")).toEqual({
    ...keyOf("new"),
    list: [2, 3],
    first: "new",
    sum: 2,
    n: 2,
  })
})

test("an index follows what transactions write, move and delete", async () => {
  const { transact, ofHost } = await aStoreOfThings()
  await transact([putting("x", { host: "one" }), putting("y", { host: "one" }), putting("z")])
  expect(await ofHost("one")).toEqual(["x", "y"])

  const toHostTwo = { UpdateExpression: "SET host = :two", ExpressionAttributeValues: { ":two": "two" } }
  await transact([
    { Update: { TableName, Key: keyOf("x"), ...toHostTwo } },
    { Delete: { TableName, Key: keyOf("y") } },
    { Update: { TableName, Key: keyOf("z"), ...toHostTwo } },
  ])
  expect(await ofHost("one")).toEqual([])
  expect(await ofHost("two")).toEqual(["x", "z"])
})

test("single writes and transactions of one item do not lose each other's work", async () => {
  const { transact, get, put, client } = await aStoreOfThings()
  await put("shared", { n: 0 })
  await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      at % 2
        ? transact([adding("shared", 1), adding(`own${at}`, 1)])
        : client.send(new UpdateCommand(adding("shared", 1).Update!)),
    ),
  )
  expect(await get("shared")).toMatchObject({ n: 60 })
})

const many = (count: number) => Array.from({ length: count }, (_, at) => putting(`${at}`))
const big = (pk: string) => putting(pk, { text: "x".repeat(390_000) })

test.for([
  ["more than 100 members", many(101), /less than or equal to 100/],
  ["no member", [], /greater than or equal to 1/],
  ["two operations on one item", [putting("a"), adding("a", 1)], /multiple operations on one item/],
  ["more than 4 MB", Array.from({ length: 11 }, (_, at) => big(`${at}`)), /4 MB/],
  ["an item of more than 400 KB", [putting("a", { text: "x".repeat(410_000) })], /Item size/],
  ["two operations in one member", [{ ...putting("a"), ...adding("b", 1) }], /can only contain one/],
  [
    "a broken expression",
    [{ Update: { ...adding("a", 1).Update!, UpdateExpression: "SAT n = 1" } }],
    /Syntax/i,
  ],
] as [string, Member[], RegExp][])("a transaction of %s is refused", async ([, members, why]) => {
  const { transact, get } = await aStoreOfThings()
  await expect(transact(members)).rejects.toMatchObject({
    name: "ValidationException",
    message: expect.stringMatching(why),
  })
  expect(await get("a")).toBeUndefined()
  expect(await get("0")).toBeUndefined()
})

test("100 members are not too many", async () => {
  const { transact, get } = await aStoreOfThings()
  await transact(many(100))
  expect(await get("99")).toBeDefined()
})

test("a table that is not there and an update that cannot be applied are told apart", async () => {
  const { transact, put } = await aStoreOfThings()
  await put("text", { n: "not a number" })
  await expect(transact([{ Put: { TableName: "Nothing", Item: keyOf("a") } }])).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  })
  await expect(transact([putting("a"), adding("text", 1)])).rejects.toMatchObject({
    CancellationReasons: [{ Code: "None" }, { Code: "ValidationError" }],
  })
})

test("a token that was used writes nothing more, and is refused with other content", async () => {
  const { transact, get } = await aStoreOfThings()
  await transact([adding("a", 1)], "token")
  await transact([adding("a", 1)], "token")
  expect(await get("a")).toMatchObject({ n: 1 })

  await expect(transact([adding("a", 2)], "token")).rejects.toMatchObject({
    name: "IdempotentParameterMismatchException",
  })
  await transact([adding("a", 1)], "another")
  expect(await get("a")).toMatchObject({ n: 2 })
})

test("a token of a cancelled transaction is free", async () => {
  const { transact, put, get, client } = await aStoreOfThings()
  await put("a", { owner: "somebody" })
  await expect(transact([creating("a")], "token")).rejects.toThrow(/ConditionalCheckFailed/)
  await client.send(new DeleteCommand({ TableName, Key: keyOf("a") }))
  await transact([creating("a")], "token")
  expect(await get("a")).toEqual(keyOf("a"))
})
