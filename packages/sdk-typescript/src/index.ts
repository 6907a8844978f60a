export { BridgeError, type ErrorCode } from "./bridge-error.ts"
export type { CallOptions, Listing, SendOptions, Settings } from "./call.ts"
export {
  type BridgeClient,
  type EventOf,
  type EventOptions,
  type MessagingBridge,
  type StreamOptions,
  messagingBridge,
} from "./messaging-bridge.ts"
export * as webhooks from "./webhooks.ts"
export type * from "./generated.ts"
