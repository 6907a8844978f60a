import { ask, type Cases, own } from "./words.ts"

const attribute = (AttributeName: string, AttributeType: string) => ({ AttributeName, AttributeType })
const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: "HASH" },
  { AttributeName: range, KeyType: "RANGE" },
]
const attributes = [attribute("pk", "S"), attribute("sk", "S")]
const withHost = [...attributes, attribute("host", "S")]
const ofOwn = { TableName: own }
const plain = {
  ...ofOwn,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: attributes,
  KeySchema: keys("pk", "sk"),
}
const byHost = { IndexName: "byHost", KeySchema: keys("host", "pk"), Projection: { ProjectionType: "ALL" } }
const indexed = { ...plain, AttributeDefinitions: withHost, GlobalSecondaryIndexes: [byHost] }
const create = (definition: object) => ask("CreateTable", definition)
const describe = ask("DescribeTable", ofOwn)
const expiry = ask("DescribeTimeToLive", ofOwn)
const setExpiry = (AttributeName: string, Enabled: boolean) =>
  ask("UpdateTimeToLive", { ...ofOwn, TimeToLiveSpecification: { AttributeName, Enabled } })

export const tables: Cases = {
  "a table is made, described, and made no second time": [create(plain), describe, create(plain)],
  "a table with an index is made and described": [create(indexed), describe],
  "a table that is not there is not described": [describe, expiry, setExpiry("expires_at", true)],
  "the definition of a table names its keys": [
    create({ ...plain, AttributeDefinitions: [attribute("pk", "S")] }),
    create({ ...indexed, AttributeDefinitions: attributes }),
    describe,
  ],
  "a table's name has a form": [
    create({ ...plain, TableName: "no" }),
    create({ ...plain, TableName: "not a name" }),
  ],
  "rows expire by one attribute": [
    create(plain),
    expiry,
    setExpiry("expires_at", true),
    expiry,
    setExpiry("expires_at", true),
    expiry,
  ],
}
