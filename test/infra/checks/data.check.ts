import { expect, inject, test } from "vitest"
import { tableShapes } from "#core/store/tables.ts"
import { graphOf } from "../graph.ts"

const graph = graphOf(inject("production"))

test.for(tableShapes.map((table) => table.name))(
  "the table %s has the keys and indexes of the code",
  (name) => {
    const { indexes } = tableShapes.find((table) => table.name === name)!
    const keys = [
      { name: "pk", type: "S" },
      { name: "sk", type: "S" },
      ...indexes.flatMap((index) => [index.hash, index.range]),
    ]
    const attributes = [...new Map(keys.map((key) => [key.name, key])).values()]
    const made = graph.one("dynamodb/table:Table", `${name}Table`)
    expect(made).toMatchObject({ hashKey: "pk", rangeKey: "sk", billingMode: "PAY_PER_REQUEST" })
    expect(made.attributes).toHaveLength(attributes.length)
    expect(made.attributes).toEqual(expect.arrayContaining(attributes))
    expect(made.globalSecondaryIndexes).toEqual(
      indexes.map((index) => ({
        name: index.name,
        hashKey: index.hash.name,
        rangeKey: index.range.name,
        projectionType: index.holds,
      })),
    )
  },
)

test("there are no other tables", () => {
  expect(graph.all("dynamodb/table:Table")).toHaveLength(tableShapes.length)
})

test("rows expire by the attribute that the code writes, and no table is deleted by mistake", () => {
  for (const { inputs } of graph.all("dynamodb/table:Table"))
    expect(inputs).toMatchObject({
      ttl: { attributeName: "expires_at", enabled: true },
      deletionProtectionEnabled: true,
    })
})

test("every table can be restored to a point in time", () => {
  for (const { inputs } of graph.all("dynamodb/table:Table"))
    expect(inputs.pointInTimeRecovery).toEqual({ enabled: true })
})

test("the three keys rotate, and a deleted one can be had back for 30 days", () => {
  const keys = graph.all("kms/key:Key")
  expect(keys.map(({ name }) => name).toSorted()).toEqual(["DeliveryKey", "SessionKey", "SettingsKey"])
  for (const { inputs } of keys)
    expect(inputs).toMatchObject({ enableKeyRotation: true, deletionWindowInDays: 30 })
})

test("keys and secrets live as long as the tables that need them: a removal forgets them only when told to", () => {
  const sealing = [
    ...graph.all("kms/key:Key"),
    ...graph.resources.filter(({ type }) => type === "random:index/randomPassword:RandomPassword"),
  ]
  expect(sealing).toHaveLength(3 + 4)
  for (const { name, options } of sealing)
    expect({ name, ...options }).toMatchObject({ name, retainOnDelete: true, protect: true })
  // AWS itself protects them from deletion.
  for (const { name, options } of graph.all("dynamodb/table:Table"))
    expect({ name, ...options }).toMatchObject({ name, retainOnDelete: true })
})

test("media expire, and cannot be read from outside or without TLS", () => {
  expect(
    graph.one("s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration", "MediaLifecycle"),
  ).toMatchObject({
    rules: [
      { status: "Enabled", expiration: { days: 1 } },
      { status: "Enabled", abortIncompleteMultipartUpload: { daysAfterInitiation: 1 } },
    ],
  })
  expect(
    graph.one("s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "MediaPublicAccessBlock"),
  ).toMatchObject({
    blockPublicAcls: true,
    blockPublicPolicy: true,
    ignorePublicAcls: true,
    restrictPublicBuckets: true,
  })
  const { policy } = graph.one("s3/bucketPolicy:BucketPolicy", "MediaPolicy")
  expect(JSON.parse(String(policy)).Statement).toMatchObject([
    { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
  ])
  expect(graph.all("s3/bucketCorsConfiguration:BucketCorsConfiguration")).toEqual([])
})
