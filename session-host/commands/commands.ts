import type { HostRoute, RouteNamed } from "#contract/routes.ts"
import { calls } from "./calls.ts"
import { chats } from "./chats.ts"
import type { Command } from "./command.ts"
import { contacts } from "./contacts.ts"
import { debugFigures } from "./debug-figures.ts"
import { groups } from "./groups.ts"
import { messages } from "./messages.ts"
import { presence } from "./presence.ts"
import { profile } from "./profile.ts"
import { session } from "./session.ts"

/**
 * The command of each route that a host answers. This does not compile if a command is missing or has another
 * command's name.
 */
export const commands = {
  ...session,
  ...messages,
  ...chats,
  ...calls,
  ...contacts,
  ...groups,
  ...profile,
  ...presence,
  ...debugFigures,
} satisfies { [Name in HostRoute]: Command<RouteNamed<Name>> }
