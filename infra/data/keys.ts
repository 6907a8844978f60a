import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"

/** Wraps the data keys of sessions. Only session hosts may decrypt with it. */
export const sessionKey = wrappingKey("SessionKey", "wraps the session keys of bridges")

/** Wraps the data keys of event bodies and webhook secrets. */
export const deliveryKey = wrappingKey("DeliveryKey", "wraps the delivery keys of bridges")

/** Encrypts the settings that are secret, where Systems Manager and Lambda keep them. */
export const settingsKey = wrappingKey("SettingsKey", "encrypts secret settings")

/** Where tables are kept, their keys are kept, too: SST's `retain` knows only tables and buckets. */
function wrappingKey(name: string, description: string) {
  return new aws.kms.Key(
    name,
    {
      description: `${$app.name} ${$app.stage}: ${description}`,
      // Old key material stays usable, so nothing has to be wrapped anew.
      enableKeyRotation: true,
      // Everything that was wrapped under a deleted key is lost: this leaves time to notice.
      deletionWindowInDays: 30,
    },
    { protect: stage.kept && !operator.removable, retainOnDelete: stage.kept },
  )
}
