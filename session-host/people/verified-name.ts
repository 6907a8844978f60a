import { proto } from "@whiskeysockets/baileys"

/** The name in a business's certificate. */
export function verifiedNameIn(certificate: Uint8Array): string {
  const { details } = proto.VerifiedNameCertificate.decode(certificate)
  if (!details) return ""
  return proto.VerifiedNameCertificate.Details.decode(details).verifiedName ?? ""
}
