// Verifies the credentials of a sender with the platform, before they are stored.
import { AppError, externalError, invalidRequest } from '../../base/errors.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import type { PhoneNumber, PlatformApp } from '../../ports/platform-number.ts';

export interface CredentialDeps {
  platform: Pick<MessagingPlatform, 'readAppId' | 'inspectCredential' | 'readNumber' | 'listTemplates'>;
}

/** Credentials that the platform accepted. */
export interface VerifiedCredential {
  appId: string;
  /** Epoch milliseconds; null: it does not expire. */
  expiresAtMs: number | null;
  number: PhoneNumber;
}

/**
 * Verifies that the app secret fits the app of the credential, that the credential has the permissions, and that it gives
 * access to the number. A new credential must also give access to the templates of the business account, whose readings
 * the platform limits. Throws 400 for a value that does not fit, 502 or 503 if the platform rejects a reading or cannot be
 * reached.
 */
export async function verifyCredential(
  { platform }: CredentialDeps,
  access: SenderAccess,
  given: { appId?: string | undefined; appSecret: string; isNew: boolean },
): Promise<VerifiedCredential> {
  let what = 'the `accessToken`';
  try {
    const appId = given.appId ?? (await platform.readAppId(access));
    const { expiresAtMs } = await inspect(platform, access, { appId, appSecret: given.appSecret });
    what = `the reading of \`phoneNumberId\` ${access.phoneNumberId}`;
    const number = await platform.readNumber(access);
    what = `the reading of the templates of \`businessAccountId\` ${access.businessAccountId}`;
    if (given.isNew) await platform.listTemplates(access);
    return { appId, expiresAtMs, number };
  } catch (error) {
    throw error instanceof AppError ? error : externalError(error, 'The messaging platform', what);
  }
}

/** Reads the number. Throws 502 or 503 if the platform rejects the reading or cannot be reached. */
export async function readNumber(
  { platform }: { platform: Pick<MessagingPlatform, 'readNumber'> },
  access: SenderAccess,
): Promise<PhoneNumber> {
  try {
    return await platform.readNumber(access);
  } catch (error) {
    throw externalError(error, 'The messaging platform');
  }
}

const fieldOf = { app_secret: 'appSecret', app_id: 'appId', credential: 'accessToken' } as const;

async function inspect(
  platform: CredentialDeps['platform'],
  access: SenderAccess,
  app: PlatformApp,
): Promise<{ expiresAtMs: number | null }> {
  const found = await platform.inspectCredential(access, app);
  if (found.problem !== null) {
    throw invalidRequest([
      { path: fieldOf[found.problem], message: `does not fit the app ${app.appId}: ${found.message}` },
    ]);
  }
  const { isValid, expiresAtMs, missingPermissions } = found.credential;
  if (!isValid)
    throw invalidRequest([{ path: 'accessToken', message: 'is no longer valid; generate a new token' }]);
  if (missingPermissions.length > 0) {
    throw invalidRequest([
      {
        path: 'accessToken',
        message: `lacks ${missingPermissions.join(' and ')} for the business account ${access.businessAccountId}; generate a token with it`,
      },
    ]);
  }
  return { expiresAtMs };
}
