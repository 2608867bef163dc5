// What a link gives: which account it opens, as whom, what one may and may not do, and until when it can be used.
import type { OfferedLink } from '../../../client/src/generated.ts';
import { formatList, formatMoment } from '../text/format.ts';
import { textIfAny, textsOf } from '../text/texts.ts';

const allScopes = [
  ...['messages:read', 'messages:send', 'conversations:read', 'templates:read', 'media:write'],
  ...['appointments:read', 'appointments:book', 'appointments:manage', 'webhooks:manage', 'manage'],
];

/** What a scope allows, in words. */
const wordOf = (scope: string): string => textIfAny('keys', `scope_${scope.replace(':', '_')}`) ?? scope;

export function OfferedLinkFacts({ link: { name, scopes, madeBy, expiresAt } }: { link: OfferedLink }) {
  const text = textsOf('signIn');
  // who may manage everything lacks nothing
  const lacking = scopes.includes('manage') ? [] : allScopes.filter((scope) => !scopes.includes(scope));
  return (
    <dl className="facts card card-body">
      <dt>{text('as')}</dt>
      <dd className="strong">
        <bdi>{name}</bdi>
      </dd>
      <dt>{text('may')}</dt>
      <dd>{formatList(scopes.map(wordOf))}</dd>
      {lacking.length > 0 && (
        <>
          <dt>{text('mayNot')}</dt>
          <dd className="muted">{formatList(lacking.map(wordOf))}</dd>
        </>
      )}
      {madeBy !== null && (
        <>
          <dt>{text('madeBy')}</dt>
          <dd>
            <bdi>{madeBy}</bdi>
          </dd>
        </>
      )}
      <dt>{text('usableUntil')}</dt>
      <dd>{formatMoment(new Date(expiresAt))}</dd>
    </dl>
  );
}
