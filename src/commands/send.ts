// `send`: sends an approved template to one number, as a test, through the API of a running gateway.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatbotGateway, isGatewayError, type Template } from '../../client/src/client.ts';
import { type AccountOption, callGateway } from './call-gateway.ts';
import { CommandError } from './exit-codes.ts';
import { note, say } from './output.ts';

export interface SendOptions extends AccountOption {
  to: string;
  language?: string;
  variable: Record<string, string>;
  sender?: string;
  /** Seconds to wait until the message was delivered or failed. */
  wait: number;
}

const pollMs = 500;
/** The message has reached the phone, or never will. */
const finalStages = ['delivered', 'read', 'failed'];

/** The approved template with that id or name. Throws if there is none, or several languages. */
async function templateOf(gateway: ChatbotGateway, given: string, language?: string): Promise<Template> {
  const found: Template[] = [];
  const names = new Set<string>();
  for await (const template of gateway.listTemplates({ status: 'approved' })) {
    names.add(template.providerTemplateName);
    const isGiven = template._id === given || template.providerTemplateName === given;
    if (isGiven && (language === undefined || template.language === language)) found.push(template);
  }
  const [only, another] = found;
  if (only && !another) return only;
  if (only)
    throw new CommandError(
      'usage',
      `The template ${given} is approved in ${found.map((one) => one.language).join(', ')}. Choose one with --language.`,
    );
  throw new CommandError(
    'notFound',
    `There is no approved template ${given}${language === undefined ? '' : ` in ${language}`}. Approved templates: ${[...names].sort().join(', ') || 'none'}.`,
  );
}

/** Says how to give values, if some are missing or unknown. */
function explainVariables(error: unknown): never {
  if (
    isGatewayError(error, 'invalid_request') &&
    error.errors.some(({ path }) => path.includes('.variables.'))
  )
    note('Give each value of the template with --variable, such as --variable 1=Ada.');
  throw error;
}

/** Sends the template and prints the stages that the message reaches within `wait` seconds. Not ok: the message failed. */
export async function send(template: string, options: SendOptions): Promise<{ ok: boolean }> {
  const { account, to, language, variable, sender, wait } = options;
  const scopes = ['templates:read', 'messages:send', 'messages:read', 'manage'] as const;
  return callGateway({ account, scopes: [...scopes], name: 'send' }, async (gateway) => {
    const { _id: templateId } = await templateOf(gateway, template, language);
    const recipient = { phone: to.replace(/^\+/, ''), variables: variable };
    const result = await gateway
      .sendTemplate({
        body: {
          templateId,
          recipients: [recipient],
          ...(sender === undefined ? {} : { senderId: sender }),
        },
      })
      .catch(explainVariables);
    const [sent] = result.messages;
    if (!sent) throw new Error('The gateway reported no message.');
    say(`${sent.status}  ${sent.id}${sent.messageId === null ? '' : `  ${sent.messageId}`}`);
    const end = await follow(gateway, sent.id, sent.status, wait);
    if (end.error !== null) say(`  ${end.error.code} ${end.error.title}: ${end.error.message}`);
    return { ok: end.status !== 'failed', sendId: result.sendId, message: end };
  });
}

/** Reads the message until it has a final stage, at most `seconds`; prints each stage. */
async function follow(gateway: ChatbotGateway, id: string, first: string, seconds: number) {
  const untilMs = performance.now() + seconds * 1_000;
  let shown = first;
  for (;;) {
    const message = await gateway.getMessage({ id });
    if (message.status !== shown) say(message.status);
    shown = message.status;
    if (finalStages.includes(shown) || performance.now() >= untilMs) return message;
    await sleep(pollMs);
  }
}
