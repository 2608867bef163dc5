// Subscribes the platform's app to a sender's callbacks, and moves them to another sender when this one is removed.
import { VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import type { AppCallback, PlatformApp } from '../../ports/platform-number.ts';
import { type AccessDeps, openSecret, senderAccess } from './access.ts';
import { callbackUrlOf } from './presenter.ts';
import type { SenderRow } from './store.ts';

export interface SubscribeDeps extends AccessDeps {
  log: Log;
  platform: Pick<MessagingPlatform, 'readAppCallback' | 'readSubscription' | 'subscribe' | 'setAppCallback'>;
  publicUrl: () => string;
}

/** The platform's app of a sender; undefined if it was never read. */
export function appOf(deps: Pick<AccessDeps, 'cipher'>, row: SenderRow): PlatformApp | undefined {
  if (row.app_id === null) return undefined;
  return { appId: row.app_id, appSecret: openSecret(deps.cipher, row, 'app_secret') };
}

/** How callbacks of a business account reach this gateway: by the app's own address, or by an override of it. */
export type CallbackWay = 'app' | 'override';

/** An address of another program is never replaced: the override concerns this business account alone. */
export function callbackWay({ url }: Pick<AppCallback, 'url'>, publicUrl: string): CallbackWay {
  return url === null || url.startsWith(`${publicUrl}/`) ? 'app' : 'override';
}

/**
 * Subscribes the app to the sender's business account and enters the sender's callback address: as the app's own, or as an
 * override where the app's callbacks go elsewhere. Throws VendorError. Safe to repeat.
 */
export async function subscribeSender(deps: SubscribeDeps, row: SenderRow, app: PlatformApp): Promise<void> {
  const access = senderAccess(deps, row);
  const target = targetOf(deps, row);
  const way = callbackWay(await deps.platform.readAppCallback(access, app), deps.publicUrl());
  if (way === 'app') await deps.platform.setAppCallback(access, app, target);
  await deps.platform.subscribe(access, way === 'override' ? target : undefined);
  deps.log.info({ senderId: row.id, way }, 'sender.subscribed');
}

const targetOf = (deps: Pick<SubscribeDeps, 'cipher' | 'publicUrl'>, row: SenderRow) => ({
  url: callbackUrlOf(deps.publicUrl(), row.id),
  verifyToken: openSecret(deps.cipher, row, 'verify_token'),
});

/**
 * Before a sender is removed: moves the callbacks that the platform posts to its address to another sender of the same
 * app. Throws VendorError if the platform cannot be reached or rejects the new address; an app that the platform no longer
 * lets us read has no callbacks to move.
 */
export async function moveCallbacks(
  deps: SubscribeDeps,
  row: SenderRow,
  others: readonly SenderRow[],
): Promise<void> {
  const app = appOf(deps, row);
  const [heir] = others;
  if (!app || !heir) return;
  const access = senderAccess(deps, row);
  const own = callbackUrlOf(deps.publicUrl(), row.id);
  const appCallback = await unlessRejected(deps.platform.readAppCallback(access, app));
  if (appCallback?.url === own) await deps.platform.setAppCallback(access, app, targetOf(deps, heir));
  await moveOverride(deps, { row, access, app, own, others });
}

/** An override concerns the business account, so only another sender of that can take it over. */
async function moveOverride(
  deps: SubscribeDeps,
  of: { row: SenderRow; access: SenderAccess; app: PlatformApp; own: string; others: readonly SenderRow[] },
): Promise<void> {
  const heir = of.others.find((other) => other.business_account_id === of.row.business_account_id);
  if (!heir) return;
  const subscription = await unlessRejected(deps.platform.readSubscription(of.access, of.app));
  if (subscription?.overrideUrl === of.own)
    await deps.platform.subscribe(senderAccess(deps, heir), targetOf(deps, heir));
}

/**
 * After a sender was removed: ends the override with its address if no sender of its business account is left, so that
 * messages reach the app's own address again. Best effort: a platform that is away or rejects the token keeps it.
 */
export async function endOverride(
  deps: SubscribeDeps,
  row: SenderRow,
  others: readonly SenderRow[],
): Promise<void> {
  const app = appOf(deps, row);
  const isShared = others.some((other) => other.business_account_id === row.business_account_id);
  if (!app || isShared) return;
  try {
    const access = senderAccess(deps, row);
    const { overrideUrl } = await deps.platform.readSubscription(access, app);
    if (overrideUrl === callbackUrlOf(deps.publicUrl(), row.id)) await deps.platform.subscribe(access);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    deps.log.warn({ senderId: row.id, why: error.message }, 'sender.override_not_ended');
  }
}

async function unlessRejected<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof VendorError && error.outcome === 'rejected') return undefined;
    throw error;
  }
}
