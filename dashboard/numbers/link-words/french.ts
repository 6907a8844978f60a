import type { Words } from "./words.ts"

// Before : ; ? ! and inside « » stand no-break spaces.
export const french: Words = {
  title: "Liez votre téléphone",
  linkFor: "Liez votre téléphone pour {who}",
  who: "La personne qui vous a envoyé ici",
  allows: "{who} pourra alors envoyer et recevoir des messages avec {number}.",
  ownNumber: "votre numéro",
  endingIn: "le numéro qui se termine par {digits}",
  once: "Cette page sert une fois, pendant encore {time}.",
  stop: "Personne que vous connaissez ne vous l'a demandé ? Alors fermez cette page :",
  stopWhy: "qui lie votre téléphone lit vos discussions. Ni WhatsApp ni une banque ne le demandent jamais.",
  undo: "Vous pouvez l'annuler à tout moment, sur le téléphone : WhatsApp > Paramètres > Appareils connectés.",
  report: "Signaler cette page",
  thanks: "Merci",
  thanksHow:
    "Ceux qui gèrent ce service ont été prévenus. Ne liez rien. Avez-vous déjà lié votre téléphone ? Alors déliez-le sur le téléphone : WhatsApp > Paramètres > Appareils connectés.",
  unofficial:
    "Ce service se lie comme appareil non officiel. Le réseau peut limiter ou bannir un numéro pour cela : liez-en un que vous pouvez vous permettre de perdre.",
  simulated: "Ceci est un test sur un réseau simulé : aucun vrai téléphone ne peut scanner ce code.",
  scan: "Scannez ceci avec le téléphone",
  open: "Ouvrez WhatsApp sur le téléphone.",
  devices: "Ouvrez ses paramètres, puis « Appareils connectés ».",
  tap: "Touchez « Connecter un appareil ».",
  point: "Pointez l'appareil photo vers ce code.",
  tapPhone: "Touchez « Connecter un appareil », puis « Connecter avec le numéro de téléphone ».",
  typeIt: "Tapez le code ci-dessus.",
  noCamera: "Sur le téléphone lui-même, ou sans appareil photo",
  noCameraHow: "Vous recevez un code de huit lettres et chiffres, et le tapez sur le téléphone.",
  noScript: "Sans script, le code ne peut pas suivre le réseau. Obtenez plutôt un code à taper.",
  phone: "Le numéro du téléphone, avec l'indicatif du pays",
  getCode: "Obtenir un code à taper",
  noLink: "Le téléphone ne se lie pas ?",
  onThePhone: [
    [
      "Il dit qu'il y a trop d'appareils connectés",
      "Un compte ne peut en avoir que quelques-uns. Retirez-en un sous « Appareils connectés », puis scannez le code ici.",
    ],
    [
      "Il dit que l'appareil n'a pas pu être connecté",
      "Le code avait changé entre-temps. Scannez celui qui est affiché maintenant, ou obtenez un code à taper.",
    ],
    [
      "Il demande une clé d'accès",
      "Laissez le téléphone tel qu'il est. Cette page montre quoi faire ; il vous faut un ordinateur avec Chrome ou Edge.",
    ],
  ],
  changesIn: "Le code change dans {time}",
  soon: "Cela prend quelques secondes",
  asking: "Un code est demandé au réseau…",
  old: "Ce code est peut-être ancien : la connexion au service est perdue. Elle revient d'elle-même.",
  nobody: "Personne n'a scanné le code",
  threeMinutes: "Le réseau en montre un pendant trois minutes.",
  newCode: "Montrer un nouveau code",
  again: "Réessayer",
  isLinked: "Un téléphone est lié",
  typeOn: "Tapez ceci sur le téléphone qui a le numéro {number}",
  works: "Il sert pendant encore {time}.",
  goBack: "Revenir",
  progress: "Progression",
  steps: ["Attend le téléphone", "Téléphone lié", "Ouvre la session", "Rattrape", "Connecté"],
  done: "Votre téléphone est lié",
  doneHow:
    "Il n'y a plus rien à faire ici : cette page était pour un téléphone. Sur le téléphone, il figure dans « Appareils connectés », où vous pouvez le délier à tout moment.",
  close: "Vous pouvez fermer cette page.",
  goOn: "Continuer vers {host}",
  taken: "Un téléphone est déjà lié",
  takenHow:
    "Il n'a pas été lié sur cette page, il n'y a donc rien à faire ici. Si ce n'est pas le vôtre, dites-le à {who} : on peut le délier et vous renvoyer ici.",
  over: "Cette page est terminée",
  overHow:
    "Elle était ouverte une heure, ou une partie de son adresse manque. Demandez-en une nouvelle à la personne qui l'a envoyée.",
  other: "C'était un autre téléphone.",
  otherHow:
    "Il a un autre numéro que celui attendu ici, il a donc été délié. Liez le téléphone dont le numéro se termine par {digits}.",
  passkey: "WhatsApp demande votre clé d'accès",
  passkeyWhy:
    "Le téléphone a accepté le code. Ce compte a aussi besoin de sa clé d'accès, et un navigateur ne l'utilise que sur la page de WhatsApp même. Laissez le téléphone tel qu'il est, et faites ceci sur un ordinateur. WhatsApp attend encore {time} ; ensuite vous recommencez avec un nouveau code.",
  extension:
    "Ajoutez l'extension à ce navigateur, une fois. Ce doit être Chrome, Edge ou un autre Chromium, sur un ordinateur.",
  addIt: "Comment l'ajouter",
  download: "Télécharger l'extension",
  unpack: "Décompressez le fichier dans un dossier.",
  openExtensions: "Ouvrez {page} (dans Edge {edge}).",
  loadIt:
    "Activez le « Mode développeur », cliquez sur « Charger l'extension non empaquetée » et choisissez ce dossier.",
  usePasskey: "Utiliser ma clé d'accès",
  leads:
    "Ceci mène à la page de WhatsApp. L'extension vous y demande votre accord, puis le navigateur : la clé est sur cet ordinateur ou sur votre téléphone. Vous revenez ici sans rien faire.",
  nothingAsks:
    "Rien ne vous y est demandé ? Alors ce navigateur n'a pas l'extension : revenez en arrière, et faites la première étape.",
  passkeyOver: "Le temps pour la clé d'accès est écoulé",
  passkeyOverHow:
    "WhatsApp l'attend cinq minutes. Rien n'a été lié : recommencez, et scannez le nouveau code avec le téléphone.",
  beginAgain: "Recommencer avec un nouveau code",
  accepted: "La clé d'accès a été acceptée",
  acceptedHow:
    "Regardez le téléphone : il demande peut-être s'il faut connecter le nouvel appareil. Cette page continue d'elle-même.",
  tooMuch: "Trop à la fois",
  tooMuchHow: "Trop de demandes sont venues de votre réseau. Réessayez dans {time}.",
  reasons: {
    number_mismatch: [
      "C'est un autre numéro",
      "Liez le téléphone dont le numéro finit par {digits}, ou demandez une nouvelle page.",
    ],
    invalid_request: [
      "Ce n'est pas un numéro de téléphone",
      "Écrivez-le avec l'indicatif du pays, comme +33 6 12 34 56 78.",
    ],
    unreachable: [
      "Le service n'est pas joignable pour le moment",
      "Attendez quelques secondes, puis réessayez.",
    ],
    network_rejected: [
      "Le réseau a refusé",
      "Vérifiez que c'est le numéro de ce téléphone. Attendez ensuite quelques minutes avant le prochain code.",
    ],
    send_outcome_unknown: [
      "Le réseau n'a pas répondu",
      "Regardez si le téléphone est déjà lié. Sinon, demandez un nouveau code.",
    ],
    rate_limited: [
      "Trop de codes ont été demandés",
      "Attendez un quart d'heure, puis demandez-en encore un.",
    ],
    already_paired: ["Un téléphone est déjà lié", "La personne qui vous a envoyé cette page peut le délier."],
    passkey_required: [
      "Un téléphone a accepté le dernier code, et son compte veut une clé d'accès",
      "Ouvrez cette page à nouveau : elle dit quoi faire.",
    ],
    passkey_refused: [
      "La clé d'accès n'a pas été acceptée",
      "Utilisez-la à nouveau, pour la demande qui est là maintenant.",
    ],
    stopped: [
      "Aucun téléphone ne peut être lié pour le moment",
      "Demandez à la personne qui vous a envoyé cette page.",
    ],
    locked: [
      "Compte bloqué",
      "Le réseau a bloqué le compte. Débloquez-le sur le téléphone, puis liez-le à nouveau.",
    ],
    banned: [
      "Numéro banni",
      "Le réseau a banni ce numéro. Le téléphone dit si cela peut être réexaminé. D'ici là, aucun code ne le lie.",
    ],
    temporarily_banned: [
      "Banni pour un temps",
      "Le réseau refuse ce numéro pour un temps. Ne le liez pas à nouveau avant.",
    ],
    away: ["Pas de connexion", "La connexion au réseau est perdue. Elle revient d'elle-même."],
    starting: ["Démarre", "Cela prend un instant."],
    internal_error: ["Quelque chose a échoué de notre côté", "Réessayez."],
  },
}
