import type { Words } from "./words.ts"

export const portuguese: Words = {
  title: "Conecte o seu telefone",
  linkFor: "Conecte o seu telefone para {who}",
  who: "Quem enviou você aqui",
  allows: "{who} poderá então enviar e receber mensagens com {number}.",
  ownNumber: "o seu número",
  endingIn: "o número que termina em {digits}",
  once: "Esta página vale uma vez, por mais {time}.",
  stop: "Ninguém que você conhece pediu isto? Então feche esta página:",
  stopWhy: "quem conecta o seu telefone lê as suas conversas. Nem o WhatsApp nem um banco pedem isto.",
  undo: "Você pode desfazer isto a qualquer momento, no telefone: WhatsApp > Configurações > Dispositivos conectados.",
  report: "Denunciar esta página",
  thanks: "Obrigado",
  thanksHow:
    "Quem opera este serviço foi avisado. Não conecte nada. Já conectou o seu telefone? Então desconecte-o no telefone: WhatsApp > Configurações > Dispositivos conectados.",
  unofficial:
    "Este serviço conecta-se como aparelho não oficial. A rede pode limitar ou banir um número por isso: conecte um que você possa perder.",
  simulated: "Isto é um teste numa rede simulada: nenhum telefone real pode escanear este código.",
  scan: "Escaneie com o telefone",
  open: "Abra o WhatsApp no telefone.",
  devices: "Abra as configurações, depois “Dispositivos conectados”.",
  tap: "Toque em “Conectar dispositivo”.",
  point: "Aponte a câmera para este código.",
  tapPhone: "Toque em “Conectar dispositivo”, depois em “Conectar com número de telefone”.",
  typeIt: "Digite o código acima.",
  noCamera: "No próprio telefone, ou sem câmera",
  noCameraHow: "Você recebe um código de oito letras e algarismos, e digita-o no telefone.",
  noScript: "Sem script, o código não pode acompanhar a rede. Obtenha em vez disso um código para digitar.",
  phone: "O número do telefone, com o código do país",
  getCode: "Obter um código para digitar",
  noLink: "O telefone não se conecta?",
  onThePhone: [
    [
      "Diz que há dispositivos conectados demais",
      "Uma conta só pode ter alguns. Remova um em “Dispositivos conectados” e depois escaneie o código aqui.",
    ],
    [
      "Diz que não foi possível conectar o dispositivo",
      "O código tinha mudado entretanto. Escaneie o que aparece agora, ou obtenha um código para digitar.",
    ],
    [
      "Pede uma chave de acesso",
      "Deixe o telefone como está. Esta página mostra o que fazer; você precisa de um computador com Chrome ou Edge.",
    ],
  ],
  changesIn: "O código muda em {time}",
  soon: "Leva alguns segundos",
  asking: "Pedindo um código à rede…",
  old: "Este código pode ser antigo: a ligação ao serviço caiu. Ela volta sozinha.",
  nobody: "Ninguém escaneou o código",
  threeMinutes: "A rede mostra um durante três minutos.",
  newCode: "Mostrar um código novo",
  again: "Tentar de novo",
  isLinked: "Há um telefone conectado",
  typeOn: "Digite isto no telefone com o número {number}",
  works: "Vale por mais {time}.",
  goBack: "Voltar",
  progress: "Andamento",
  steps: ["Esperando o telefone", "Telefone conectado", "Entrando", "Atualizando", "Conectado"],
  done: "O seu telefone está conectado",
  doneHow:
    "Não há mais nada a fazer aqui: esta página era para um telefone. No telefone ele aparece em “Dispositivos conectados”, onde você pode desconectá-lo a qualquer momento.",
  close: "Você pode fechar esta página.",
  goOn: "Continuar para {host}",
  taken: "Já há um telefone conectado",
  takenHow:
    "Ele não foi conectado nesta página, então não há nada a fazer aqui. Se não é o seu, avise {who}: pode desconectá-lo e enviar você aqui de novo.",
  over: "Esta página terminou",
  overHow:
    "Ela ficou aberta por uma hora, ou falta uma parte do endereço. Peça uma nova à pessoa que a enviou.",
  other: "Esse era outro telefone.",
  otherHow:
    "Ele tem um número diferente do esperado aqui, então foi desconectado. Conecte o telefone cujo número termina em {digits}.",
  passkey: "O WhatsApp pede a sua chave de acesso",
  passkeyWhy:
    "O telefone aceitou o código. Esta conta precisa também da chave de acesso, e um navegador só a usa na página do próprio WhatsApp. Deixe o telefone como está e faça isto num computador. O WhatsApp espera mais {time}; depois você recomeça com um código novo.",
  extension:
    "Adicione a extensão a este navegador, uma vez. Tem de ser Chrome, Edge ou outro Chromium, num computador.",
  addIt: "Como adicioná-la",
  download: "Baixar a extensão",
  unpack: "Descompacte o arquivo numa pasta.",
  openExtensions: "Abra {page} (no Edge {edge}).",
  loadIt: "Ligue o “Modo do desenvolvedor”, clique em “Carregar sem compactação” e escolha essa pasta.",
  usePasskey: "Usar a minha chave de acesso",
  leads:
    "Isto leva à página do WhatsApp. Lá a extensão pergunta a você, depois o navegador: a chave está neste computador ou no seu telefone. Você volta para cá sem fazer nada.",
  nothingAsks:
    "Nada pergunta a você lá? Então este navegador não tem a extensão: volte e faça o primeiro passo.",
  passkeyOver: "O tempo para a chave de acesso acabou",
  passkeyOverHow:
    "O WhatsApp espera cinco minutos por ela. Nada foi conectado: recomece e escaneie o código novo com o telefone.",
  beginAgain: "Recomeçar com um código novo",
  accepted: "A chave de acesso foi aceita",
  acceptedHow:
    "Olhe o telefone: ele pode perguntar se conecta o novo dispositivo. Esta página continua sozinha.",
  tooMuch: "Demais de uma vez",
  tooMuchHow: "Chegaram pedidos demais da sua rede. Tente de novo em {time}.",
  reasons: {
    number_mismatch: [
      "Esse é outro número",
      "Conecte o telefone cujo número termina em {digits}, ou peça uma página nova.",
    ],
    invalid_request: [
      "Isto não é um número de telefone",
      "Escreva-o com o código do país, como +55 11 91234 5678.",
    ],
    unreachable: ["O serviço não responde neste momento", "Espere alguns segundos e tente de novo."],
    network_rejected: [
      "A rede recusou",
      "Confira se é o número desse telefone. Depois espere alguns minutos pelo próximo código.",
    ],
    send_outcome_unknown: [
      "A rede não respondeu",
      "Veja se o telefone já está conectado. Se não estiver, peça um código novo.",
    ],
    rate_limited: ["Foram pedidos códigos demais", "Espere um quarto de hora e peça mais um."],
    already_paired: ["Já há um telefone conectado", "Quem enviou esta página a você pode desconectá-lo."],
    passkey_required: [
      "Um telefone aceitou o último código, e a conta dele quer uma chave de acesso",
      "Abra esta página de novo: ela diz o que fazer.",
    ],
    passkey_refused: [
      "A chave de acesso não foi aceita",
      "Use-a de novo, para o pedido que está aqui agora.",
    ],
    stopped: [
      "Nenhum telefone pode ser conectado neste momento",
      "Pergunte a quem enviou esta página a você.",
    ],
    locked: ["Conta bloqueada", "A rede bloqueou a conta. Desbloqueie-a no telefone e conecte-o de novo."],
    banned: [
      "Número banido",
      "A rede baniu este número. O telefone diz se isso pode ser revisto. Até lá nenhum código o conecta.",
    ],
    temporarily_banned: [
      "Banido por algum tempo",
      "A rede recusa este número por algum tempo. Não o conecte de novo antes disso.",
    ],
    away: ["Sem conexão", "A ligação à rede caiu. Ela volta sozinha."],
    starting: ["Iniciando", "Leva um momento."],
    internal_error: ["Algo deu errado do nosso lado", "Tente de novo."],
  },
}
