import { withoutDevice } from "#core/message/jid.ts"
import type { Stanza } from "../network/stanza.ts"
import { type Mapped, wholeNumber } from "./mapped.ts"
import type { KnownPeople } from "./people-in-stanza.ts"

/** `<notification type="picture"><set id/></notification>`, or `<delete/>`: of the session's own picture. */
export function fromPictureNotification(notification: Stanza, { own }: KnownPeople): Mapped[] {
  const { id, from, t } = notification.attrs
  const change = notification.children.find(({ tag }) => tag === "set" || tag === "delete")
  const whose = withoutDevice(from ?? "")
  if (!change || !id || whose === "" || (whose !== own.jid && whose !== own.lid)) return []
  const pictureId = change.tag === "set" ? change.attrs.id : undefined
  return [
    {
      identity: ["profile_picture_updated", id, t ?? ""],
      mayRepeat: true,
      event: {
        event: "profile_picture_updated",
        remove: change.tag === "delete",
        timestamp: wholeNumber(t),
        ...(pictureId && { picture_id: pictureId }),
      },
    },
  ]
}
