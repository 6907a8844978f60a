import { expect, test } from "vitest"
import { missedBy } from "./figure-goals.ts"

test("a figure that is not as good as its goal is named, and so is one that is no number", () => {
  const good = { axe: 0, kb_js_css: 24.9, qr_fresh: 1, performance: 95, kill_back_s: 1000 }
  expect(missedBy(good)).toEqual([])
  const bad = { axe: 1, kb_js_css: 25.1, qr_fresh: 0.999, performance: 94, kill_seen_s: NaN }
  expect(missedBy(bad)).toEqual(Object.keys(bad))
})
