// The creation of the demonstration: objects at the sandbox's platform and Google, and through the gateway's API a
// sender, a webhook endpoint, departments, and staff with connected calendars.

import { ChatbotGateway, isGatewayError } from '../client/src/client.ts';
import { cloudApiControl, receiverControl } from '../sandbox/control.ts';
import { type GoogleControl, googleControl } from '../sandbox/google/control-client.ts';
import { departments, staff } from './people.ts';
import { drafts, platformTemplates } from './templates.ts';

export interface SandboxUrls {
  cloudApiUrl: string;
  googleUrl: string;
  receiverUrl: string;
}

/** The contents of `DATA_DIR/demo.json`. */
export interface Demo {
  baseUrl: string;
  apiKey: string;
  accountId: string;
  senderId: string;
  webhookSecret: string;
  sandbox: SandboxUrls;
}

/** Ids and secrets at the sandbox's platform; fixed, so that a second start finds them. */
const app = { id: '100200300400500', secret: 'c3a5125f1d2dd30af555a0e8c6879c50', token: 'demo-access-token' };
const waba = { id: '200300400500600', name: 'Demonstration' };
const number = { id: '300400500600700', displayPhoneNumber: '+1 555 010 0000' };
const hook = 'demo';
/** The OAuth client that the gateway is started with. */
export const googleClient = { id: 'demo-client.apps.example', secret: 'demo-client-secret' };

/** Called before each step; may throw to abort. */
type Progress = (step: string) => void;

/** Creates everything once, through the API of the gateway at `baseUrl`. */
export async function seedDemo(
  input: { baseUrl: string; apiKey: string; accountId: string; sandbox: SandboxUrls },
  progress: Progress,
): Promise<Demo> {
  const gateway = new ChatbotGateway(input);
  progress('the messaging platform: a number and templates in every status');
  await seedPlatform(input.sandbox);
  const sender = await gateway.createSender({
    body: {
      name: 'Demonstration',
      phoneNumberId: number.id,
      businessAccountId: waba.id,
      accessToken: app.token,
      appSecret: app.secret,
      isDefault: true,
    },
  });
  await gateway.syncTemplates();
  for (const draft of drafts) await gateway.createTemplate({ body: draft });
  progress('a webhook endpoint at the receiver');
  const webhookSecret = await seedEndpoint(gateway, input.sandbox);
  progress('departments, staff and calendars:');
  await seedStaff(gateway, input.sandbox, progress);

  return { ...input, senderId: sender._id, webhookSecret };
}

/** Whether the stored key still works: not after the database was deleted, or the key revoked. */
export async function keyStillWorks(demo: Demo, baseUrl: string): Promise<boolean> {
  try {
    await new ChatbotGateway({ baseUrl, apiKey: demo.apiKey }).listSenders();
    return true;
  } catch (error) {
    if (isGatewayError(error, 'api_key_missing', 'api_key_invalid')) return false;
    throw error;
  }
}

/** Updates everything to the addresses of this start, and seeds a sandbox that lost its state again. */
export async function updateDemo(demo: Demo): Promise<void> {
  const gateway = new ChatbotGateway(demo);
  const { apps } = await cloudApiControl(demo.sandbox.cloudApiUrl).state();
  const isEmpty = !apps.some(({ id }) => id === app.id);
  if (isEmpty) await seedPlatform(demo.sandbox);
  // the address of the gateway may be another one
  await gateway.subscribeSender({ id: demo.senderId });
  const receiver = receiverControl(demo.sandbox.receiverUrl);
  const url = receiver.hookUrl(hook);
  await receiver.setSecrets(hook, demo.webhookSecret);
  const { items } = await gateway.listEndpoints();
  const endpoint = items.find((item) => item.description === endpointDescription);
  if (endpoint && endpoint.url !== url) await gateway.updateEndpoint({ id: endpoint._id, body: { url } });
  await (isEmpty ? reconnectStaff(gateway, demo.sandbox) : allowRedirect(gateway, demo.sandbox));
}

async function reconnectStaff(gateway: ChatbotGateway, sandbox: SandboxUrls): Promise<void> {
  const google = googleControl(sandbox.googleUrl);
  const { items } = await gateway.listStaff();
  for (const member of staff) {
    const found = items.find(({ name }) => name === member.user.name);
    if (!found) continue;
    await putGoogleAccount(google, member);
    await connectCalendar(gateway, google, found._id, member.email);
  }
}

const endpointDescription = 'The receiver of the demonstration';

async function seedPlatform(sandbox: SandboxUrls): Promise<void> {
  const platform = cloudApiControl(sandbox.cloudApiUrl);
  await platform.addApp({ id: app.id, secret: app.secret, tokens: [app.token] });
  await platform.addWaba({ id: waba.id, appId: app.id, name: waba.name });
  await platform.addNumber({
    ...number,
    wabaId: waba.id,
    verifiedName: 'Demonstration',
    messagesPerSecond: 80,
  });
  const known = new Set(
    (await platform.state()).templates.map((template) => `${template.name} ${template.language}`),
  );
  for (const template of platformTemplates) {
    if (!known.has(`${template.name} ${template.language}`))
      await platform.addTemplate({ ...template, wabaId: waba.id });
  }
}

async function seedEndpoint(gateway: ChatbotGateway, sandbox: SandboxUrls): Promise<string> {
  const receiver = receiverControl(sandbox.receiverUrl);
  const { secret } = await gateway.createEndpoint({
    body: {
      url: receiver.hookUrl(hook),
      description: endpointDescription,
      events: [
        'messages.status',
        'templates.status',
        'appointments.booked',
        'appointments.cancelled',
        'appointments.rescheduled',
      ],
    },
  });
  await receiver.setSecrets(hook, secret);
  return secret;
}

async function seedStaff(gateway: ChatbotGateway, sandbox: SandboxUrls, progress: Progress): Promise<void> {
  const google = googleControl(sandbox.googleUrl);
  const ids = new Map<string, string>();
  for (const department of departments) {
    const { _id } = await gateway.createDepartment({ body: department });
    ids.set(department.name, _id);
  }
  for (const member of staff) {
    progress(`  ${member.user.name} (${member.schedule.timezone})`);
    const departmentIds = member.departments.flatMap((name) => ids.get(name) ?? []);
    const { _id } = await gateway.createStaffMember({ body: { ...member.user, departmentIds } });
    await gateway.setSchedule({ id: _id, body: member.schedule });
    await gateway.setFormQuestions({ id: _id, body: member.questions });
    await putGoogleAccount(google, member);
    await connectCalendar(gateway, google, _id, member.email);
  }
}

async function putGoogleAccount(google: GoogleControl, member: (typeof staff)[number]): Promise<void> {
  const { email, user, schedule } = member;
  await google.putAccount({ email, name: user.name, timeZone: schedule.timezone });
}

/** Opens the connect link, as the staff member's browser would. */
async function connectCalendar(
  gateway: ChatbotGateway,
  google: GoogleControl,
  staffId: string,
  email: string,
): Promise<void> {
  const { authUrl } = await gateway.getCalendarAuthUrl({ appointmentUserId: staffId });
  await registerClient(google, authUrl);
  await google.set({ account: email });
  const failed = (why: string) =>
    new Error(
      `The calendar of ${email} could not be connected: ${redirectUriOf(authUrl)} ${why}. ` +
        'Set PUBLIC_URL to an address of this gateway that works on this machine, or start the sandbox without one: PUBLIC_URL= npm start',
    );
  const page = await fetch(authUrl).catch((error: Error) => {
    throw failed(
      `cannot be reached (${(error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message})`,
    );
  });
  if (!page.ok) throw failed(`responds with HTTP ${page.status}`);
}

/** The address of the gateway to which Google returns the browser. */
const redirectUriOf = (authUrl: string): string => new URL(authUrl).searchParams.get('redirect_uri') ?? '';

const loopback = /^(localhost|\[::1\]|127(\.\d+){3})$/;

/**
 * Registers the OAuth client at the sandbox. Google redirects only to registered addresses, so that of a gateway with a public one is
 * registered too, as in Google's console. Any loopback address may be used without.
 */
export async function registerClient(
  google: Pick<GoogleControl, 'putClient'>,
  authUrl: string,
): Promise<void> {
  const redirectUri = redirectUriOf(authUrl);
  const isLocal = loopback.test(new URL(redirectUri).hostname);
  await google.putClient({ ...googleClient, ...(isLocal ? {} : { redirectUris: [redirectUri] }) });
}

/** Registers the client again: the address of the gateway may be another one. */
async function allowRedirect(gateway: ChatbotGateway, sandbox: SandboxUrls): Promise<void> {
  const { items } = await gateway.listStaff();
  const [member] = items;
  if (!member) return;
  const { authUrl } = await gateway.getCalendarAuthUrl({ appointmentUserId: member._id });
  await registerClient(googleControl(sandbox.googleUrl), authUrl);
}
