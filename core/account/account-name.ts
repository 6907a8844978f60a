export * as AccountName from "./account-name.ts"

import { z } from "zod"

/** The most characters of a name, an emoji being one. */
const longest = 64

/**
 * A name that people choose for their account. Those who link a phone for it read it, so nothing in it turns the
 * direction of the text around it, it can be seen, and no address is in it.
 */
export const Name = z
  .string()
  .transform((text) => text.trim().replaceAll(/\s+/g, " "))
  .pipe(
    z
      .string()
      .min(1, "a name has at least one character")
      .refine((name) => Array.from(name).length <= longest, `a name has at most ${longest} characters`)
      .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), "a name has no control characters")
      .refine(
        (name) => !/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name),
        "a name has no invisible characters that turn the direction of text: type it anew rather than paste it",
      )
      .refine(isVisible, "a name has at least one character that can be seen")
      .refine((name) => !hasAddress(name), "a name has no @: strangers would read an e-mail address in it")
      .refine((name) => !isMixed(name), "no word of a name has letters of two alphabets: some look the same")
      .refine((name) => !isMessengers(name), "a name is not that of WhatsApp or its maker: say who you are"),
  )

/** A name that its people give it. One that promises trust to strangers is for the operator to give. */
export const Chosen = Name.refine(
  (name) => !trust.test(spoken(name)),
  "strangers would take this name for a bank's or a support's: the operator of this service gives it to those who are one",
)

/** Words of banks and of help desks, in the languages of the page on which phones are linked, without accents. */
const trust = new RegExp(
  `\\b(?:${[
    "bank(?:haus|ing)?|banc[oa]|banque|sparkasse|volksbank|raiffeisenbank",
    "support|soporte|suporte|supporto|security|sicherheit|securite|seguridad|seguranca|sicurezza",
    "official|offizielle?[rs]?|officiell?e?|oficial|ufficiale|verif\\w*",
    "help ?desk|customer (?:care|service)|kundendienst|kundenservice|service clients?",
    "servicio (?:al|de atencion al) cliente|atencion al cliente|atendimento(?: ao cliente)?|servizio clienti|assistenza",
  ].join("|")})\\b`,
)

/** The name to strangers; undefined while an address is in it, as that of the person whom the account was made for. */
export function toStrangers({ name }: { name: string }): string | undefined {
  return hasAddress(name) ? undefined : name
}

/** Whether a name may have an e-mail address in it, also as wide characters write it. */
function hasAddress(name: string): boolean {
  return name.normalize("NFKC").includes("@")
}

/** Whether a name looks like one of WhatsApp's own. People would trust the page of a link that has it. */
function isMessengers(name: string): boolean {
  const words = spoken(name)
  return (
    words.replaceAll(/[^\p{L}\p{N}]/gu, "").includes("whatsapp") ||
    /\b(?:meta|facebook|instagram)\b/.test(words)
  )
}

/** Alphabets whose letters are taken for those of another one. */
const alphabets = ["Latin", "Cyrillic", "Greek", "Cherokee", "Armenian", "Coptic", "Lisu"].map(
  (name) => new RegExp(`\\p{Script=${name}}`, "u"),
)

function isMixed(name: string): boolean {
  const words = name.normalize("NFKC").split(/[^\p{L}\p{M}]+/u)
  return words.some((word) => alphabets.filter((letter) => letter.test(word)).length > 1)
}

/** Letters of another alphabet, small ones, that look like these. */
const alike = {
  a: "аα",
  b: "в",
  c: "с",
  e: "еεё",
  f: "ғ",
  g: "ԍ",
  h: "һн",
  i: "іι",
  k: "кκ",
  m: "м",
  n: "п",
  o: "оοσ",
  p: "рρ",
  r: "г",
  s: "ѕ",
  t: "тτ",
  u: "υ",
  w: "ԝω",
  y: "уγ",
}
const latin = new Map(
  Object.entries(alike).flatMap(([letter, others]) => Array.from(others).map((one) => [one, letter])),
)

/** A name as it is read: small letters without accents, each that looks like a Latin one as that. */
function spoken(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  return Array.from(plain, (letter) => latin.get(letter) ?? letter).join("")
}

/** Whether anything of a name shows. The blank of Braille, U+2800, is a symbol to Unicode. */
function isVisible(name: string): boolean {
  return /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{C}\p{M}\u2800]/u.test(name)
}
