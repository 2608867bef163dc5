// The cards of a carousel: swiped, or moved by arrows.
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useRef, useState } from 'react';
import type { MessageParts } from '../../../client/src/generated.ts';
import { textsOf } from '../text/texts.ts';
import { Bubble } from './bubble.tsx';
import { IconButton } from './button.tsx';

type Button = MessageParts['buttons'][number];

interface Props {
  cards: MessageParts['cards'];
  onButton?: (card: number, button: Button) => void;
}

export function Carousel({ cards, onButton }: Props) {
  const text = textsOf('common');
  const list = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState(0);
  function go(to: number): void {
    const next = Math.min(cards.length - 1, Math.max(0, to));
    list.current?.children[next]?.scrollIntoView({ block: 'nearest', inline: 'start' });
    setAt(next);
  }
  return (
    <>
      <ul
        ref={list}
        className="phone-cards"
        aria-label={text('cards')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollLeft, scrollWidth } }) =>
          setAt(Math.round(Math.abs(scrollLeft) / (scrollWidth / cards.length)))
        }
      >
        {cards.map(({ header, body, buttons }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a card is its position
          <li key={index}>
            <Bubble
              header={header}
              body={body}
              footer={null}
              buttons={buttons}
              time={null}
              onButton={onButton && ((button) => onButton(index, button))}
            />
          </li>
        ))}
      </ul>
      <div className="card-steps">
        <IconButton label={text('cardBefore')} onClick={() => go(at - 1)}>
          <IconChevronLeft size={16} className="mirrored" aria-hidden />
        </IconButton>
        <span className="number">{text('cardOf', { card: at + 1, count: cards.length })}</span>
        <IconButton label={text('cardAfter')} onClick={() => go(at + 1)}>
          <IconChevronRight size={16} className="mirrored" aria-hidden />
        </IconButton>
      </div>
    </>
  );
}
