// Checks of a sender: what the platform and the gateway know of it, judged with the step that fixes each problem. Pure.
import type { CheckName, CheckStatus } from '../../contract/senders.ts';
import type { CredentialInspection, PlatformAdvice, PlatformHealth } from '../../ports/platform-number.ts';
import type { Fact, SenderFacts } from './facts.ts';

/** The result of one check; `fix` is null if nothing is wrong. */
export interface CheckResult {
  name: CheckName;
  status: CheckStatus;
  detail: string;
  fix: string | null;
}

type Judged = Omit<CheckResult, 'name'>;

const ok = (detail: string): Judged => ({ status: 'ok', detail, fix: null });
const warning = (detail: string, fix: string): Judged => ({ status: 'warning', detail, fix });
const failed = (detail: string, fix: string): Judged => ({ status: 'failed', detail, fix });
const unknown = (detail: string, fix: string | null = null): Judged => ({ status: 'unknown', detail, fix });

const expiryWarningMs = 14 * 24 * 3_600_000;
/** Status reports usually come within seconds; the platform repeats those that failed with increasing delays. */
const reportsLateMs = 10 * 60_000;

/** Judges a fact that was read; a rejected reading fails with `fix`, any other leaves the check unknown. */
function judge<T>(fact: Fact<T>, of: (value: T) => Judged, fix: string): Judged {
  if ('value' in fact) return of(fact.value);
  return fact.isRejected
    ? failed(`The platform rejected the reading: ${fact.failure}`, fix)
    : unknown(`The platform could not be asked: ${fact.failure}`, 'Run the checks again.');
}

function problemFix(
  problem: Exclude<CredentialInspection['problem'], null>,
  { newCredential, appSecret }: PlatformAdvice,
): string {
  if (problem === 'app_id') return 'PATCH the sender with a token and an app secret of the same app.';
  return problem === 'app_secret' ? appSecret : newCredential;
}

function token({ inspection, advice }: SenderFacts): Judged {
  return judge(
    inspection,
    (found) => {
      if (found.problem !== null) return failed(found.message, problemFix(found.problem, advice));
      return found.credential.isValid
        ? ok('The platform accepts the token, and the app secret fits it.')
        : failed('The platform no longer accepts the token.', advice.newCredential);
    },
    advice.newCredential,
  );
}

const withCredential = (facts: SenderFacts, of: (credential: Credential) => Judged): Judged =>
  judge(
    facts.inspection,
    (found) => (found.problem === null ? of(found.credential) : unknown('The token could not be inspected.')),
    facts.advice.newCredential,
  );
type Credential = Extract<CredentialInspection, { problem: null }>['credential'];

const permissions = (facts: SenderFacts): Judged =>
  withCredential(facts, ({ missingPermissions }) =>
    missingPermissions.length === 0
      ? ok('The token has the permissions that the gateway needs.')
      : failed(
          `The token lacks ${missingPermissions.join(' and ')} for this business account.`,
          facts.advice.newCredential,
        ),
  );

const tokenExpiry = (facts: SenderFacts): Judged =>
  withCredential(facts, ({ expiresAtMs }) => {
    if (expiresAtMs === null) return ok('The token does not expire.');
    const at = new Date(expiresAtMs).toISOString();
    if (expiresAtMs <= facts.now) return failed(`The token expired on ${at}.`, facts.advice.newCredential);
    if (expiresAtMs - facts.now > expiryWarningMs) return ok(`The token expires on ${at}.`);
    return warning(`The token expires on ${at}.`, facts.advice.newCredential);
  });

/** Without a valid token and its permissions nothing can be read of the number; the token is what to fix. */
function numberFix({ inspection, advice }: SenderFacts): string {
  const found = 'value' in inspection && inspection.value.problem === null && inspection.value.credential;
  const isEnough = !found || (found.isValid && found.missingPermissions.length === 0);
  return isEnough ? advice.number : advice.newCredential;
}

const registration = (facts: SenderFacts): Judged =>
  judge(
    facts.number,
    ({ isRegistered, status }) => {
      if (isRegistered === null)
        return unknown('The platform does not say whether the number is registered.');
      return isRegistered
        ? ok(`The number is registered (${status}).`)
        : failed(
            `The number is not ready to send: its status is ${status}.`,
            facts.advice.registrationOf[status ?? ''] ?? facts.advice.registration,
          );
    },
    numberFix(facts),
  );

const subscribeFix = 'POST /v1/senders/:id/subscribe, or subscribe the app to the business account yourself.';

function subscription(facts: SenderFacts): Judged {
  const owner = 'value' in facts.number ? facts.number.value.businessAccountId : null;
  if (owner !== null && owner !== facts.businessAccountId)
    return failed(
      `The number belongs to the business account ${owner}, but the sender names ${facts.businessAccountId}: its templates cannot be sent, and no callback comes.`,
      `DELETE the sender and connect it again with the businessAccountId ${owner}.`,
    );
  return judge(
    facts.subscription,
    ({ isSubscribed }) =>
      isSubscribed
        ? ok('The app receives the callbacks of this business account.')
        : failed('The app is not subscribed to the business account, so no callback comes.', subscribeFix),
    facts.advice.newCredential,
  );
}

/** True if callbacks to that address reach this gateway. */
const isOurs = (facts: Pick<SenderFacts, 'callbackBase'>, url: string | null): boolean =>
  url?.startsWith(facts.callbackBase) === true;

function appCallback(facts: SenderFacts): Judged {
  const overrideUrl = 'value' in facts.subscription ? facts.subscription.value.overrideUrl : null;
  const fix = `Enter ${facts.callbackUrl} as the callback URL of the app, or POST /v1/senders/:id/subscribe.`;
  return judge(
    facts.appCallback,
    ({ url, missingKinds }) => {
      if (!isOurs(facts, url)) {
        const where = url === null ? 'The app has no callback URL' : `The app's callbacks go to ${url}`;
        return isOurs(facts, overrideUrl)
          ? warning(
              `${where}. Messages and their statuses reach the gateway by an override; notices of templates and accounts do not, so the gateway polls.`,
              `To receive them, enter ${facts.callbackUrl} as the callback URL of the app.`,
            )
          : failed(url === null ? `${where}, so no callback comes.` : `${where}, not to this gateway.`, fix);
      }
      if (overrideUrl !== null && !isOurs(facts, overrideUrl))
        return failed(`An override sends the messages of this business account to ${overrideUrl}.`, fix);
      if (missingKinds.includes('messages'))
        return failed('The app does not ask for `messages`, so no status comes.', fix);
      return missingKinds.length === 0
        ? ok(`The app's callbacks come to ${url}.`)
        : warning(`The app does not ask for ${missingKinds.join(', ')}.`, fix);
    },
    facts.advice.appSecret,
  );
}

const handshake = ({ handshakeAt, callbackUrl }: SenderFacts): Judged =>
  handshakeAt === null
    ? failed(
        'The platform has never verified the callback address.',
        `Make ${callbackUrl} reachable from the internet, then POST /v1/senders/:id/subscribe.`,
      )
    : ok(`The platform verified the callback address on ${new Date(handshakeAt).toISOString()}.`);

function lastCallback({ now, lastCallbackAt, unreportedSince }: SenderFacts): Judged {
  const last = lastCallbackAt === null ? 'never' : `last on ${new Date(lastCallbackAt).toISOString()}`;
  const isLate = unreportedSince !== null && now - unreportedSince > reportsLateMs;
  if (isLate && (lastCallbackAt ?? 0) < unreportedSince) {
    return failed(
      `The platform accepted messages since ${new Date(unreportedSince).toISOString()}, but no callback came (${last}).`,
      'Look at `subscription`, `appCallback` and `handshake`. If they are ok, look for a firewall or proxy that rejects the platform.',
    );
  }
  return lastCallbackAt === null
    ? unknown('No callback came yet: there was nothing to report.')
    : ok(`A callback came ${last}.`);
}

function templates({ templates: { readAt, failure, count } }: SenderFacts): Judged {
  if (failure !== null)
    return failed(`The templates could not be read: ${failure}`, 'Fix the token or its permissions.');
  return readAt === null
    ? unknown('The templates are being read.')
    : ok(`${count ?? 0} templates, read on ${new Date(readAt).toISOString()}.`);
}

const quality = (facts: SenderFacts): Judged =>
  judge(
    facts.number,
    ({ qualityRating }) => {
      const advice = 'Recipients block or report messages of this number: send fewer and more relevant ones.';
      if (qualityRating === 'RED') return failed('The quality of the number is RED.', advice);
      if (qualityRating === 'YELLOW') return warning('The quality of the number is YELLOW.', advice);
      return qualityRating === 'GREEN'
        ? ok('The quality of the number is GREEN.')
        : unknown('The platform has not rated the number yet.');
    },
    numberFix(facts),
  );

const messagingLimit = (facts: SenderFacts): Judged =>
  judge(
    facts.number,
    ({ messagingLimit: limit }) => {
      if (limit === null) return unknown('The platform names no limit.');
      // of businesses that are not verified (Cloud API, "Messaging limits")
      return limit === 'TIER_250'
        ? warning(
            `The limit of the business is ${limit}: templates reach at most 250 people a day, of all its numbers together.`,
            'Verify the business at the platform, or deliver 2,000 templates of good quality within 30 days.',
          )
        : ok(`The limit of the business is ${limit}.`);
    },
    numberFix(facts),
  );

const throughput = (facts: SenderFacts): Judged =>
  judge(
    facts.number,
    ({ throughput: granted }) => {
      if (granted === null) return unknown('The platform does not say how fast the number may send.');
      const inUse = facts.messagesPerSecond;
      return !facts.followsThroughput && inUse > granted
        ? warning(
            `The sender is set to ${inUse} messages a second, but the platform grants ${granted}.`,
            'PATCH the sender with `messagesPerSecond: null` to follow the platform.',
          )
        : ok(`The platform grants ${granted} messages a second; ${inUse} are used.`);
    },
    numberFix(facts),
  );

const health = (facts: SenderFacts): Judged =>
  judge(
    facts.number,
    ({ health: found }) => {
      if (found === null) return unknown('The platform does not report its health.');
      const [said, advice] = [healthText(found), healthAdvice(found) || numberFix(facts)];
      if (found.canSend === 'blocked') return failed(`The platform blocks messages. ${said}`, advice);
      return found.canSend === 'limited'
        ? warning(`The platform limits messages. ${said}`, advice)
        : ok('Nothing limits messages.');
    },
    numberFix(facts),
  );

const healthText = ({ problems }: PlatformHealth): string =>
  problems
    .map(({ entity, code, description }) => `${entity}${code === null ? '' : ` ${code}`}: ${description}`)
    .join(' ');

const healthAdvice = ({ problems }: PlatformHealth): string =>
  problems.flatMap(({ advice }) => advice ?? []).join(' ');

const judges: Record<CheckName, (facts: SenderFacts) => Judged> = {
  token,
  permissions,
  tokenExpiry,
  registration,
  subscription,
  appCallback,
  handshake,
  lastCallback,
  templates,
  quality,
  messagingLimit,
  throughput,
  health,
};

/** Judges every check, in the order of the contract. */
export function judgeSender(facts: SenderFacts): CheckResult[] {
  return Object.entries(judges).map(([name, judgeOne]) => ({ name: name as CheckName, ...judgeOne(facts) }));
}
