// The recipient's phone: messages as they look, buttons to press, and a field to answer.
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { Avatar } from '../design/avatar.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useSession } from '../session/session.tsx';
import { textsOf } from '../text/texts.ts';
import { buttonNote, isAnswer, type PhoneButton } from './button-note.ts';
import { PhoneBubble } from './phone-bubble.tsx';
import { type PhoneAct, type SandboxPhone, sandbox } from './sandbox-api.ts';
import '../design/phone-preview.css';

const pollMs = 1_000;

interface Props {
  phone: string;
  phones: SandboxPhone[];
  onChoose: (phone: string) => void;
  /** Something on it has the focus. */
  onFocus: () => void;
}

export function Phone({ phone, phones, onChoose, onFocus }: Props) {
  const text = textsOf('sandbox');
  const { account } = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  /** What the button that was pressed last does, where no message shows it. */
  const [note, setNote] = useState('');
  const box = useRef<HTMLElement>(null);
  const { data: messages = [], error } = useQuery({
    queryKey: ['messages', 'phone', phone],
    queryFn: () => sandbox.messages(phone),
    meta: { kinds: ['received'] },
    refetchInterval: pollMs,
  });
  const act = useMutation({
    mutationFn: (what: PhoneAct) => sandbox.act(phone, what),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['messages'] }),
  });
  function press(messageId: string, button: PhoneButton, card?: number): void {
    setNote(buttonNote(button));
    if (isAnswer(button))
      act.mutate({ press: { messageId, button: button.index, ...(card === undefined ? {} : { card }) } });
  }
  const newest = messages.at(-1)?.messageId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message is what moves the phone
  useLayoutEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [newest]);
  const known = phones.some((one) => one.phone === phone)
    ? phones
    : [{ phone, lastAt: '', messages: 0 }, ...phones];
  return (
    <section className="column" aria-label={text('phone')} onFocus={onFocus}>
      <div className="row wrap">
        <h2>{text('phone')}</h2>
        <select
          className="input end"
          dir="ltr"
          aria-label={text('whichPhone')}
          value={phone}
          onChange={({ target }) => onChoose(target.value)}
        >
          {known.map((one) => (
            <option key={one.phone} value={one.phone}>
              {one.phone}
            </option>
          ))}
        </select>
      </div>
      <div className="phone sandbox-phone">
        <div className="phone-head">
          <Avatar name={account.name} />
          <div className="grow">
            <div className="cut" dir="auto">
              {account.name}
            </div>
            <div className="phone-note">
              <bdi dir="ltr">{phone}</bdi>
            </div>
          </div>
        </div>
        <section
          ref={box}
          className="phone-body sandbox-screen"
          aria-label={text('messages')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the keyboard
          tabIndex={0}
        >
          {messages.length === 0 && <p className="phone-note">{text('emptyPhone')}</p>}
          {messages.map((message) => (
            <PhoneBubble
              key={message.messageId}
              message={message}
              onButton={(button, card) => press(message.messageId, button, card)}
              onRow={(row) => act.mutate({ press: { messageId: message.messageId, row } })}
            />
          ))}
        </section>
        <p role="status" className="phone-told phone-note">
          {note}
        </p>
        <Form
          className="phone-answer"
          onSubmit={() => {
            if (typed.trim() === '') return;
            act.mutate({ text: typed.trim() });
            setTyped('');
          }}
        >
          <input
            className="input grow"
            dir="auto"
            aria-label={text('answer')}
            placeholder={text('answer')}
            disabled={messages.length === 0}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <button
            type="submit"
            className="icon-button"
            aria-label={text('sendAnswer')}
            disabled={messages.length === 0}
          >
            <IconSend size={17} aria-hidden />
          </button>
        </Form>
      </div>
      {(act.error ?? error) && <ErrorNote error={act.error ?? error} />}
      <p className="small note">{text('phoneNote')}</p>
    </section>
  );
}
