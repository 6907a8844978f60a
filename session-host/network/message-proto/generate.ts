import { readFileSync, writeFileSync } from "node:fs"
import protobuf from "protobufjs"

/**
 * Fields of `Message` that WhatsApp Web has had since the published version: their numbers, and their types.
 */
const later = { newsletterScheduledMessage: 132, acp2SettingMessage: 133, audioStickerMessage: 134 }

/** The types that are decoded here: messages as they arrive and as phones keep them, and sealed answers. */
const roots = [
  "Message",
  "WebMessageInfo",
  "HistorySyncMsg",
  "Message.PollVoteMessage",
  "Message.EventResponseMessage",
]

const scalars: Record<string, string> = { string: "string", bool: "boolean", bytes: "Uint8Array" }

/**
 * The part of WhatsApp Web's protocol that messages are made of: its fields for the decoder, as JSON, and its
 * types. Both are made of a published copy of WhatsApp Web's own definitions (`@wppconnect/wa-proto`).
 */
export function generate(): { fields: string; types: string } {
  const types = [...reachable(definitions())]
  const rows = types.map(
    (type) =>
      `  ${JSON.stringify(nameOf(type))}: ${JSON.stringify(
        type.fieldsArray.map(({ name, id, repeated, resolvedType, type: scalar }) => [
          id,
          name,
          resolvedType instanceof protobuf.Type ? nameOf(resolvedType) : resolvedType ? "int32" : scalar,
          ...(repeated ? ["repeated"] : []),
        ]),
      )}`,
  )
  const interfaces = types.map((type) => {
    const fields = type.fieldsArray.map((field) => `  ${field.name}?: ${typeOf(field)} | null`)
    return [`export interface ${nameOf(type)} {`, ...fields, "}", ""].join("\n")
  })
  return {
    fields: `{\n${rows.join(",\n")}\n}\n`,
    types: [
      "// Made by `npm run proto:generate`.",
      "",
      'import type Long from "long"',
      "",
      "/** A whole number of 64 bits. */",
      "type Whole = number | Long",
      "",
      ...interfaces,
    ].join("\n"),
  }
}

function definitions(): protobuf.Root {
  const file = import.meta.resolve("@wppconnect/wa-proto/WAProto.proto")
  const text = readFileSync(new URL(file), "utf8").replaceAll(/\brequired\b/g, "optional")
  const { root } = protobuf.parse(text, { keepCase: true })
  const message = root.lookupType("Message")
  for (const [name, id] of Object.entries(later))
    if (!message.fields[name]) message.add(new protobuf.Field(name, id, "FutureProofMessage"))
  root.resolveAll()
  return root
}

function reachable(root: protobuf.Root): Set<protobuf.Type> {
  const found = new Set<protobuf.Type>()
  const visit = (type: protobuf.Type) => {
    if (found.has(type)) return
    found.add(type)
    for (const { resolvedType } of type.fieldsArray)
      if (resolvedType instanceof protobuf.Type) visit(resolvedType)
  }
  for (const name of roots) visit(root.lookupType(name))
  return found
}

/** The name of a type, after the names of the types that it is nested in: `Message_ImageMessage`. */
function nameOf(type: protobuf.Type): string {
  return type.fullName.split(".").slice(2).join("_")
}

function typeOf({ repeated, resolvedType, type }: protobuf.Field): string {
  const one =
    resolvedType instanceof protobuf.Type
      ? nameOf(resolvedType)
      : (scalars[type] ?? (type.endsWith("64") ? "Whole" : "number"))
  return repeated ? (one.includes(" ") ? `(${one})[]` : `${one}[]`) : one
}

if (import.meta.main) {
  const { fields, types } = generate()
  writeFileSync(new URL("fields.json", import.meta.url), fields)
  writeFileSync(new URL("types.ts", import.meta.url), types)
}
