// What the owner of a phone answers by pressing a button of a message or choosing a row (pure).
import { ControlError } from '../server.ts';
import type { Accepted } from './ledger.ts';
import type { Button, Component } from './model.ts';

/** A button by its position, in a card of a carousel if it has `card`, or a row of a list. */
export interface Press {
  messageId: string;
  card?: number;
  button?: number;
  row?: string;
}

/** The kind of the inbound message, and the members that are not those of every one. */
export interface Answer {
  kind: string;
  with: Record<string, unknown>;
}

/** The answer to a press. 400 for a button or row that the message does not have, or that answers nothing. */
export function answerOf(entry: Accepted, components: Component[] | undefined, press: Press): Answer {
  return entry.type === undefined
    ? templateAnswer(entry, components ?? [], press)
    : replyAnswer(entry, press);
}

const noButton = (): ControlError =>
  new ControlError(400, 'press: the message has no such button that can be pressed');

type Json = Record<string, unknown>;
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

/** The parts of a template, or of one of its cards: as created, and as sent. */
function partsOf(created: Component[], sent: unknown, card: number | undefined) {
  if (card === undefined) return { created, sent: listOf(sent) };
  const cards = created.find(({ type }) => type === 'CAROUSEL')?.cards ?? [];
  const carousel = listOf(sent).find(({ type }) => type === 'carousel');
  const own = listOf(carousel?.cards).find((one) => Number(one.card_index) === card);
  return { created: cards[card]?.components ?? [], sent: listOf(own?.components) };
}

function templateAnswer(
  entry: Accepted,
  components: Component[],
  { card, button: index = -1 }: Press,
): Answer {
  const { created, sent } = partsOf(components, entry.components, card);
  const button = created.find(({ type }) => type === 'BUTTONS')?.buttons?.[index];
  if (!button) throw noButton();
  const own = sent.find((one) => one.type === 'button' && Number(one.index) === index);
  const [parameter] = listOf(own?.parameters);
  const answer = buttonAnswers[button.type]?.(button, parameter, entry);
  if (!answer)
    throw new ControlError(400, `press: a button of type ${button.type} sends no message to the business`);
  return answer;
}

/** Buttons that answer; the others leave the chat: they open an address or products, call, or copy. */
const buttonAnswers: Record<string, (button: Button, sent: Json | undefined, entry: Accepted) => Answer> = {
  // the payload that was sent, else the label
  QUICK_REPLY: ({ text }, sent) => ({
    kind: 'button',
    with: { button: { payload: sent?.payload ?? sent?.text ?? text, text } },
  }),
  // as if its owner had sent the form without filling it in: its screens are not simulated
  FLOW: (_, sent) => {
    const { flow_token: token = 'unused' } = (sent?.action ?? {}) as { flow_token?: string };
    const reply = { name: 'flow', body: 'Sent', response_json: JSON.stringify({ flow_token: token }) };
    return { kind: 'flow_reply', with: { interactive: { type: 'nfm_reply', nfm_reply: reply } } };
  },
  REQUEST_CONTACT_INFO: (_, __, { waId }) => ({
    kind: 'contact_request',
    with: {
      contacts: [
        {
          vcard: `BEGIN:VCARD\nVERSION:3.0\nFN:Ada Lovelace\nTEL;type=MOBILE;waid=${waId}:+${waId}\nEND:VCARD`,
          origin: 'contact_request',
          phones: [{ phone: `+${waId}`, wa_id: waId, type: 'MOBILE' }],
        },
      ],
    },
  }),
};

interface Interactive {
  action?: {
    buttons?: { reply: { id: string; title: string } }[];
    sections?: { rows: { id: string; title: string; description?: string }[] }[];
  };
}

/** A button or a row of a reply. */
function replyAnswer({ components }: Accepted, { button, row }: Press): Answer {
  const { action } = ((components as { interactive?: Interactive } | null)?.interactive ?? {}) as Interactive;
  const pressed = button === undefined ? undefined : action?.buttons?.[button]?.reply;
  if (pressed)
    return { kind: 'button_reply', with: { interactive: { type: 'button_reply', button_reply: pressed } } };
  const chosen = action?.sections?.flatMap(({ rows }) => rows).find(({ id }) => id === row);
  if (!chosen) throw noButton();
  return { kind: 'list_reply', with: { interactive: { type: 'list_reply', list_reply: chosen } } };
}
