import { UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { expect, test } from "vitest"
import { adding, aStoreOfThings, creating, putting } from "./things.ts"

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

// DynamoDB Local refuses the request instead, so that this is not among its recorded answers.
test("an update that its item does not allow cancels its transaction, as AWS documents", async () => {
  const { transact, put, get } = await aStoreOfThings()
  await put("text", { n: "not a number" })
  await expect(transact([putting("a"), adding("text", 1)])).rejects.toMatchObject({
    CancellationReasons: [{ Code: "None" }, { Code: "ValidationError" }],
  })
  expect(await get("a")).toBeUndefined()
})
