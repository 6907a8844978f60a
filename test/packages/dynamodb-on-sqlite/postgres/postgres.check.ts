import postgres from "postgres"
import { expect, onTestFinished, test } from "vitest"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { newSchema } from "#test/support/dynamodb.ts"
import { until } from "#test/support/until.ts"

const url = process.env.POSTGRES_URL!
const TableName = "Things"
const table = {
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk"].map((name) => ({ AttributeName: name, AttributeType: "S" })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
}
const adding = (pk: string) => ({
  Update: {
    TableName,
    Key: { pk: { S: pk }, sk: { S: "x" } },
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  },
})

async function aMachine(at: string, service = "test") {
  const store = await startDynamoDb({ postgres: { url: at, service } })
  onTestFinished(store.close)
  return store
}

/** One service's rows, as the operator sees them. */
async function aDatabase() {
  const at = await newSchema(url)
  const sql = postgres(at, { max: 1, onnotice: () => {} })
  onTestFinished(() => sql.end())
  const first = await aMachine(at)
  expect(await first.answer("CreateTable", table)).toMatchObject({ status: 200 })
  return { at, sql, first }
}

test("two machines add to one row at once, and lose nothing of each other's", async () => {
  const { at, first } = await aDatabase()
  const second = await aMachine(at)
  const asked = Array.from({ length: 60 }, (_, n) =>
    (n % 2 ? first : second).answer("TransactWriteItems", {
      TransactItems: n % 3 ? [adding("a"), adding("b")] : [adding("b"), adding("a")],
      ClientRequestToken: String(n),
    }),
  )
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]))
  const { body } = await second.answer("GetItem", { TableName, Key: adding("a").Update.Key })
  expect(body).toMatchObject({ Item: { n: { N: "60" } } })
})

test("a transaction whose connection was cut is asked again under its token, and is carried out once", async () => {
  const { first, sql } = await aDatabase()
  const isAdded = async (ClientRequestToken: string) => {
    const request = { TransactItems: [adding("a")], ClientRequestToken }
    const outcome = first.answer("TransactWriteItems", request)
    return await outcome.then(
      ({ status }) => status === 200,
      () => false,
    )
  }
  for (let n = 0; n < 10; n++) {
    const cut = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'messaging-bridge' AND pid <> pg_backend_pid()`
    const [wasAdded] = await Promise.all([isAdded(String(n)), cut])
    if (!wasAdded) await until(() => isAdded(String(n)))
  }
  const [row] = await sql.unsafe(`SELECT item FROM "table Things"`)
  expect(JSON.parse(String(row!.item))).toMatchObject({ n: { N: "10" } })
})

test("keys sort by their bytes, and may hold any character", async () => {
  const { first } = await aDatabase()
  const keys = ["\0", "\0a", "\u0001", "\u0001\0", "\u0002", "'", "Z", "\\", "a", "ä", "\uffff", "\u{1f600}"]
  for (const sk of keys.toReversed())
    await first.answer("PutItem", {
      TableName,
      Item: { pk: { S: "p" }, sk: { S: sk }, text: { S: `\0${sk}'\\` } },
    })
  const { body } = await first.answer("Query", {
    TableName,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": { S: "p" } },
  })
  const items = body.Items as { sk: { S: string }; text: { S: string } }[]
  expect(items.map(({ sk }) => sk.S)).toEqual(keys)
  expect(items.map(({ text }) => text.S)).toEqual(keys.map((sk) => `\0${sk}'\\`))
})

test("what has expired is removed by the database's clock", async () => {
  const { first } = await aDatabase()
  await first.answer("UpdateTimeToLive", {
    TableName,
    TimeToLiveSpecification: { AttributeName: "ends", Enabled: true },
  })
  const now = Math.floor(Date.now() / 1000)
  for (const ends of [now - 60, now + 600, 1])
    await first.answer("PutItem", {
      TableName,
      Item: { pk: { S: "p" }, sk: { S: String(ends) }, ends: { N: String(ends) } },
    })
  await first.expire()
  expect(await first.answer("Scan", { TableName })).toMatchObject({ body: { Count: 2 } })
})

test("another service, other rows, a database that only reads and one without rights are refused", async () => {
  const { at, sql } = await aDatabase()
  await expect(aMachine(at, "another")).rejects.toThrow("belongs to another service")
  await sql`UPDATE bridge_service SET format = '0'`
  await expect(aMachine(at)).rejects.toThrow("has rows of format 0")
  await expect(aMachine(`${at}&default_transaction_read_only=on`)).rejects.toThrow("only reads")
  await expect(aMachine(`${url}?search_path=nowhere`)).rejects.toThrow("may make no tables in any schema")
  await expect(aMachine("postgres://nobody:x@127.0.0.1:1/none")).rejects.toThrow("cannot be used")
})
