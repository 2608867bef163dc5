// The state of one template through the API, and the wait for what the platform reports of it.
import { expect } from 'vitest';
import type { Gateway } from './gateway.ts';

/** What a template's page shows of its state. */
export interface TemplateState {
  status: string;
  providerStatus: string;
  providerTemplateId: string;
}

/** Reads the template's state. */
export const templateState = async (gateway: Gateway, id: string): Promise<TemplateState> =>
  (await gateway.call<TemplateState>('GET', `/v1/templates/${id}`)).body.data;

/** Waits until the gateway knows that status of the platform. */
export const templateBecomes = (gateway: Gateway, id: string, providerStatus: string): Promise<void> =>
  expect
    .poll(async () => (await templateState(gateway, id)).providerStatus, { timeout: 20_000 })
    .toBe(providerStatus);
