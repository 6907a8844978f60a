// How things are written in Python.

/** The first line of each module. */
export const head = "# Generated from the contract by `npm run clients:generate`. Do not edit.\n"

export function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

export function literal(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False"
  return JSON.stringify(value)
}

/** A docstring. */
export function doc(text: string, indent = ""): string {
  const safe = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""').replace(/"$/, '\\"')
  const lines = safe.split("\n").map((line, n) => (n > 0 && line ? indent + line : line))
  return `"""${lines.join("\n")}${lines.length > 1 ? `\n${indent}` : ""}"""`
}
