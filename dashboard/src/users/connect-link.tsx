// A link with which the owner of a calendar connects it, in their own browser.
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import { useMutation } from '@tanstack/react-query';
import { isGatewayError } from '../../../client/src/errors.ts';
import type { StaffMember } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { CopyButton } from '../design/copy-button.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Timestamp } from '../design/timestamp.tsx';
import { textsOf } from '../text/texts.ts';

export function ConnectLink({ member, isConnected }: { member: StaffMember; isConnected: boolean }) {
  const text = textsOf('users');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => api.getCalendarAuthUrl({ appointmentUserId: member._id }),
  });
  const isMissing = isGatewayError(error, 'calendar_provider_not_configured');
  return (
    <Card title={text(isConnected ? 'connectOther' : 'connectByLink')} note={text('connectByLinkNote')}>
      <div className="column">
        <p className="muted">{text('connectByLinkText', { name: member.name })}</p>
        {isMissing && <p className="muted">{text('noProvider')}</p>}
        {error && !isMissing && <ErrorNote error={error} />}
        {data ? (
          <div className="row wrap">
            <a className="button default" href={data.authUrl} target="_blank" rel="noreferrer">
              <IconExternalLink size={15} aria-hidden />
              {text('openLink')}
            </a>
            <CopyButton value={data.authUrl} label={text('copyLink')} />
            <span className="note">
              {text('linkUntil')} <Timestamp at={data.expiresAt} form="clock" />
            </span>
          </div>
        ) : (
          <div>
            <Button isBusy={isPending} onClick={() => mutate()}>
              {text('makeLink')}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
