// Numbers of their own at the simulated platform, connected to a gateway with one request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { Gateway } from './gateway.ts';

export interface Check {
  name: string;
  status: string;
  detail: string;
  fix: string | null;
}
export interface Sender {
  _id: string;
  callbackUrl: string;
  status: string;
  businessAccountId: string;
  messagesPerSecond: number | null;
  effectiveMessagesPerSecond: number;
  checks: Check[];
}

/** Resolves once the condition holds. */
export const eventually = (condition: () => Promise<boolean>) =>
  expect.poll(condition, { interval: 20 }).toBe(true);

/** Starts another program, whose address answers the platform's handshake. */
export async function startOtherProgram(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) =>
    response.end(new URL(request.url ?? '', 'http://other').searchParams.get('hub.challenge') ?? ''),
  );
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/theirs`;
  return { url, close: () => void server.close() };
}

let place = 0;

/** An app with a business account, a number and a template of their own at the platform. */
export async function addNumberAtPlatform(gateway: Gateway) {
  place += 1;
  const id = (kind: number) => `${kind}0000${place}`;
  const app = { id: id(1), secret: place.toString(16).padStart(32, 'a'), token: `token-${place}` };
  await gateway.platform.addApp({ id: app.id, secret: app.secret, tokens: [app.token] });
  await gateway.platform.addWaba({ id: id(2), appId: app.id });
  const number = { id: id(3), wabaId: id(2), displayPhoneNumber: `+1 555 020 00${place + 10}` };
  await gateway.platform.addNumber(number);
  const template = { wabaId: id(2), name: `hello_${place}`, category: 'UTILITY' };
  await gateway.platform.addTemplate({ ...template, components: [{ type: 'BODY', text: 'Hello there.' }] });
  const body = {
    ...{ name: `Number ${place}`, phoneNumberId: number.id, businessAccountId: id(2) },
    ...{ accessToken: app.token, appSecret: app.secret },
  };
  return { app, number, wabaId: id(2), body, templateName: template.name };
}
export type NumberAtPlatform = Awaited<ReturnType<typeof addNumberAtPlatform>>;

export const connect = (gateway: Gateway, body: object) =>
  gateway.call<Sender>('POST', '/v1/senders', { body });

/** Connects a number; `more` is added to the request. */
export async function connected(
  gateway: Gateway,
  given: NumberAtPlatform,
  more: object = {},
): Promise<Sender> {
  const answer = await connect(gateway, { ...given.body, ...more });
  expect(answer.status).toBe(200);
  return answer.body.data;
}

export async function runChecks(gateway: Gateway, senderId: string): Promise<Record<string, Check>> {
  const answer = await gateway.call<{ checks: Check[] }>('POST', `/v1/senders/${senderId}/checks`);
  expect(answer.status).toBe(200);
  return byName(answer.body.data.checks);
}

export const byName = (checks: Check[]) => Object.fromEntries(checks.map((check) => [check.name, check]));

/** A call of the platform's API in the name of the token's owner. */
export const callPlatform = (gateway: Gateway, token: string, method: string, path: string) =>
  fetch(`${gateway.urls.cloudApi}/v23.0/${path}`, { method, headers: { authorization: `Bearer ${token}` } });

/** Sends a template of the sender and resolves once the message has that status. */
export async function sendUntil(
  gateway: Gateway,
  given: NumberAtPlatform,
  senderId: string,
  status: string,
): Promise<void> {
  let templateId: string | undefined;
  await eventually(async () => {
    const list = await gateway.call<{ items: { _id: string }[] }>(
      'GET',
      `/v1/templates?search=${given.templateName}`,
    );
    templateId = list.body.data.items[0]?._id;
    return templateId !== undefined;
  });
  const body = {
    templateId,
    senderId,
    recipients: [{ phone: `1555987${place}00${Math.trunc(Math.random() * 900) + 100}` }],
  };
  const sent = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', { body });
  const id = sent.body.data.messages[0]?.id;
  await eventually(async () => {
    const message = await gateway.call<{ status: string }>('GET', `/v1/messages/${id}`);
    return message.body.data.status === status;
  });
}
