// The answer to a person: free text and files while a window is open, a template otherwise.
import type { Contact } from '../../../client/src/generated.ts';
import { useNow } from '../design/use-now.ts';
import { useMay } from '../session/session.tsx';
import { formatMoment } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { Composer } from './composer.tsx';
import { TemplateAnswer } from './template-answer.tsx';
import { changeUnsent, useUnsent } from './unsent.ts';
import { closedAtMs, openWindows } from './window.ts';

export function Answer({ contact }: { contact: Contact }) {
  const text = textsOf('conversations');
  const nowMs = useNow();
  const maySend = useMay('messages:send');
  const mayRead = useMay('templates:read');
  const { isTemplate } = useUnsent(contact._id);
  const setTemplate = (chosen: boolean) => changeUnsent(contact._id, () => ({ isTemplate: chosen }));
  if (!maySend) return <p className="answer note">{text('mayNotSend')}</p>;
  const windows = openWindows(contact, nowMs);
  const closed = closedAtMs(contact);
  if (windows.length > 0 && !isTemplate)
    return (
      <Composer
        contact={contact}
        windows={windows}
        {...(mayRead ? { onTemplate: () => setTemplate(true) } : {})}
      />
    );
  return (
    <div className="answer column">
      {windows.length === 0 && (
        <div className="note-box" role="status">
          {closed === undefined
            ? text('neverWroteText')
            : text('windowClosedText', { time: formatMoment(new Date(closed)) })}
        </div>
      )}
      {contact.phone === null ? (
        <p className="muted">{text('hiddenNumber')}</p>
      ) : !mayRead ? (
        <p className="muted">{text('mayNotReadTemplates')}</p>
      ) : (
        <TemplateAnswer
          contactId={contact._id}
          phone={contact.phone}
          name={contact.name}
          {...(windows.length > 0 ? { onBack: () => setTemplate(false) } : {})}
        />
      )}
    </div>
  );
}
