// What a batch of callbacks says about opt-outs: words, buttons, and notices of the platform. Pure.
import type { PreferenceReport, ReceivedMessage } from '../../ports/platform-received.ts';
import { type Act, reasonMaxLength, scope, source } from '../opt-outs/opt-out.ts';
import { type OptOutWords, saidIn } from '../opt-outs/words.ts';

/** What a new message says, by the words of the account that it came to. */
export function actOfMessage(
  message: ReceivedMessage,
  words: OptOutWords | undefined,
  nowMs: number,
): Act | undefined {
  const said = words && saidIn(message, words);
  return said && { ...said, atMs: message.timestamp === null ? nowMs : message.timestamp * 1000 };
}

/** What the platform reports of a person's choice. */
export const actOfPreference = (report: PreferenceReport, nowMs: number): Act => ({
  scope: report.wantsMarketing ? scope.none : scope.marketing,
  source: source.platform,
  reason: report.detail?.slice(0, reasonMaxLength) ?? null,
  atMs: report.timestamp === null ? nowMs : report.timestamp * 1000,
});
