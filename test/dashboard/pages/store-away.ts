import { dynamoDb } from "#test/support/store.ts"
import { expect, test } from "vitest"
import { LinkSession } from "#core/bridge/link-session.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { until } from "#test/support/until.ts"
import { aPerson, pages } from "./person.ts"

test("a page whose store gives no answer says so at once, and asks nobody to wait for the store's retries", async () => {
  const person = await aPerson()
  const { token } = await LinkSession.create(person.bridge, {})
  const paths = [
    "/",
    "/numbers",
    "/account",
    "/usage",
    "/sign-in",
    ...pages.map((path) => `/numbers/shop${path}`),
  ]
  const back = dynamoDb.faults.add({ fault: "slow", ms: 4000 })
  try {
    const answers = [...paths.map((path) => person.get(path)), aVisitor().get(`/link/${token}`)]
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain("The service cannot answer now")
    }
  } finally {
    back()
  }
  await until(async () => (await person.get("/numbers")).status === 200)
})
