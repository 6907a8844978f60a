import { expect, it } from "vitest"
import { nameOfRef, refOfName } from "#core/bridge/ref-of-name.ts"

it("a name that another gateway's session has leads to one reference, which leads to itself", () => {
  const names = { "Minha Loja": "Minha-Loja", "Loja São João ☕": "Loja-Sao-Joao", shop_1: "shop_1" }
  for (const [name, ref] of Object.entries(names)) {
    expect(refOfName(name)).toBe(ref)
    expect(refOfName(ref)).toBe(ref)
  }
  expect(refOfName("x".repeat(70))).toHaveLength(64)
  expect(refOfName("☕")).toBe("☕")
  expect([refOfName("default"), nameOfRef("default-session")]).toEqual(["default-session", "default"])
})
