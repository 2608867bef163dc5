// What is said when no message fits: what was searched, and how to search wider.
import IconMailOff from '@tabler/icons-react/dist/esm/icons/IconMailOff.mjs';
import { Button } from '../design/button.tsx';
import { EmptyState } from '../design/messages.tsx';
import { wordOf } from '../design/state-badge.tsx';
import { formatList } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { type MessageFilter, typedOf } from './filter.ts';

interface Props {
  filter: MessageFilter;
  onChange: (filter: MessageFilter) => void;
  /** Searches on; undefined: every message was searched. */
  onOlder: (() => void) | undefined;
  isLoading: boolean;
}

/** What the search asks for, in words: `order=A-10499`, `Failed`, `last 24 hours`. */
function wordsOf(filter: MessageFilter): string[] {
  const text = textsOf('messages');
  const { status, kind, hours, templateId, senderId, sendId } = filter;
  const typed = typedOf(filter);
  return [
    typed && `“\u2068${typed}\u2069”`,
    status && wordOf(status),
    kind && text(`kind_${kind}`),
    templateId && text('oneTemplate'),
    senderId && text('oneNumber'),
    sendId && text('ofOneSend'),
    hours && text(`last_${hours}`),
  ].filter((word): word is string => Boolean(word));
}

/** How what was typed is compared. */
function hintOf({ phone, metadata, name }: MessageFilter): string {
  const text = textsOf('messages');
  if (phone !== undefined) return text('hintPhone');
  if (metadata !== undefined) return text('hintMetadata');
  return name === undefined ? '' : text('hintName');
}

export function NoMessages({ filter, onChange, onOlder, isLoading }: Props) {
  const text = textsOf('messages');
  const words = wordsOf(filter);
  const isFiltered = words.length > 0;
  const { status, hours, ...others } = filter;
  const found = isFiltered ? `${text('searched', { list: formatList(words) })} ${hintOf(filter)}` : '';
  return (
    <EmptyState
      isCard
      icon={<IconMailOff size={20} aria-hidden />}
      title={text(onOlder ? 'noneYet' : isFiltered ? 'noneFound' : 'none')}
      text={onOlder ? `${found} ${text('noneYetText')}` : isFiltered ? found : text('noneText')}
      actions={
        <>
          {onOlder && (
            <Button isBusy={isLoading} onClick={onOlder}>
              {text('searchOlder')}
            </Button>
          )}
          {status && (
            <Button onClick={() => onChange({ ...others, ...(hours ? { hours } : {}) })}>
              {text('allStates')}
            </Button>
          )}
          {hours && (
            <Button onClick={() => onChange({ ...others, ...(status ? { status } : {}) })}>
              {text('allTimes')}
            </Button>
          )}
          {isFiltered && (
            <Button kind="quiet" onClick={() => onChange({})}>
              {text('showAll')}
            </Button>
          )}
        </>
      }
    />
  );
}
