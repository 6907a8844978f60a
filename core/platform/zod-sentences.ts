import { z } from "zod"

// Zod's own words are for programmers: it says "Invalid input: expected string, received undefined" for a
// missing field.
z.config({ customError: sentenceOf })

/**
 * The sentence that tells a caller what is wrong with a value; undefined leaves it to Zod. Importing this
 * file is enough to install it.
 */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return issue.input === undefined ? "is missing" : mustBe(issue.expected)
  if (issue.code === "too_small") return outOfRange("at least", issue.origin, issue.minimum)
  if (issue.code === "too_big") return outOfRange("at most", issue.origin, issue.maximum)
  if (issue.code === "invalid_value")
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`
  if (issue.code === "invalid_key") return issue.issues[0]?.message
  return issue.code === "invalid_format" && issue.format === "url" ? "must be a URL" : undefined
}

const kinds = new Map<string, string>([
  ["string", "a string"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "an array"],
  ["object", "an object"],
])

function mustBe(expected: string): string | undefined {
  const kind = kinds.get(expected)
  return kind && `must be ${kind}`
}

const units = new Map<string, string>([
  ["string", "characters"],
  ["array", "entries"],
])

function outOfRange(bound: "at least" | "at most", origin: string, limit: number | bigint): string {
  const unit = units.get(origin)
  if (unit === undefined) return `must be ${bound} ${limit}`
  return bound === "at least" && limit === 1 ? "must not be empty" : `must have ${bound} ${limit} ${unit}`
}
