import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { newOwners } from "./owners.ts"

const commit = (host: string, epoch: number) => ({
  ClientRequestToken: randomUUID(),
  TransactItems: [
    {
      ConditionCheck: {
        Key: { pk: { S: "BRIDGE#1" }, sk: { S: "LEASE" } },
        ExpressionAttributeValues: { ":me": { S: host }, ":mine": { N: String(epoch) } },
      },
    },
  ],
})
const lease = (host: string, epoch: number) => ({ Item: { host: { S: host }, epoch: { N: String(epoch) } } })

test("a commit under another host's lease is noticed; an own commit that is repeated later is not one", () => {
  const owners = newOwners()
  const first = commit("first", 2)
  owners.accepted(first, lease("first", 2))
  owners.accepted(commit("second", 4), lease("second", 4))
  owners.accepted(first, lease("second", 4))
  expect(owners.violations).toEqual([])
  owners.accepted(commit("first", 2), lease("second", 4))
  owners.accepted(commit("third", 4), lease("second", 4))
  expect(owners.violations).toHaveLength(2)
})
