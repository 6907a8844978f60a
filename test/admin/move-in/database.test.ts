import { expect, test } from "vitest"
import { placeInPostgres } from "#admin/move-in/database.ts"

test("an address that was written for Prisma, as Evolution's, leads to its schema", () => {
  const address = "postgresql://shop:secret@db:5432/evolution_db"
  const toPrisma = "schema=evolution_api&pgbouncer=true&connection_limit=5"
  expect(placeInPostgres(`${address}?${toPrisma}&sslmode=require`)).toEqual({
    address: `${address}?sslmode=require`,
    schema: "evolution_api",
  })
  expect(placeInPostgres(address)).toEqual({ address, schema: undefined })
})
