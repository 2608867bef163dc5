// What the person sees, or why it is not shown.
import type { MessageDetail } from '../../../client/src/generated.ts';
import { Card } from '../design/card.tsx';
import { PhonePreview } from '../design/phone-preview.tsx';
import { useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { partsOfReply } from './reply-parts.ts';

export function Content({ message: { parts, reply, textSource, createdAt } }: { message: MessageDetail }) {
  const text = textsOf('messages');
  const { account, scopes } = useSession();
  const shown = parts ?? (reply && partsOfReply(reply));
  if (!shown)
    return (
      <Card>
        <p className="muted">{text(scopes.includes('conversations:read') ? 'noText' : 'mayNotRead')}</p>
      </Card>
    );
  return (
    <div className="column">
      <PhonePreview parts={shown} from={account.name} note={text('asSeen')} at={createdAt} />
      {textSource === 'later' && <p className="small note">{text('laterText')}</p>}
    </div>
  );
}
