// The third step: the number that sends, when it begins, and how long messages may wait.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Send, TemplateDetail, TemplateSender } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { sendersQuery } from '../api/senders.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { useMay } from '../session/session.tsx';
import { formatDuration, formatNumber, zone } from '../text/format.ts';
import { localInput, ofLocalInput } from '../text/local-time.ts';
import { textsOf } from '../text/texts.ts';
import { durationMs } from './send-state.ts';
import { StepFoot } from './step-foot.tsx';

const waitChoices = [3_600, 21_600, 86_400, 259_200, 604_800];
const defaultWait = 86_400;

interface Props {
  send: Send;
  template: TemplateDetail;
  onBack: () => void;
  onNext: () => void;
}

export function TimingStep({ send, template: { senders }, onBack, onNext }: Props) {
  const text = textsOf('sends');
  const queries = useQueryClient();
  const [senderId, setSender] = useState(send.senderId);
  const [isLater, setLater] = useState(send.sendAt !== null);
  const [at, setAt] = useState(
    localInput(send.sendAt ? new Date(send.sendAt) : new Date(Date.now() + 3_600_000), zone),
  );
  const [waitSeconds, setWait] = useState(send.expiresInSeconds ?? defaultWait);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.changeSend({
        sendId: send.sendId,
        body: {
          senderId,
          sendAt: isLater ? ofLocalInput(at, zone).toISOString() : null,
          expiresInSeconds: waitSeconds,
        },
      }),
    onSuccess: (changed) => {
      queries.setQueryData(['sends', 'one', send.sendId], changed);
      onNext();
    },
  });
  const waits = waitChoices.includes(waitSeconds) ? waitChoices : [...waitChoices, waitSeconds];
  return (
    <Form onSubmit={mutate}>
      <Card title={text('number')} isPadded={false}>
        <fieldset className="choices" aria-label={text('number')}>
          {senders.map((sender) => (
            <SenderChoice
              key={sender._id}
              sender={sender}
              total={send.total}
              isChosen={sender._id === senderId}
              onChoose={() => setSender(sender._id)}
            />
          ))}
        </fieldset>
      </Card>
      <Card title={text('time')} note={text('zone', { zone })}>
        <fieldset className="column plain" aria-label={text('time')}>
          <label className="row">
            <input type="radio" name="when" checked={!isLater} onChange={() => setLater(false)} />
            {text('rightAway')}
          </label>
          <div className="row wrap">
            <label className="row">
              <input type="radio" name="when" checked={isLater} onChange={() => setLater(true)} />
              {text('later')}
            </label>
            <input
              className="input"
              type="datetime-local"
              aria-label={text('sendAt')}
              disabled={!isLater}
              required={isLater}
              min={localInput(new Date(), zone)}
              value={at}
              onChange={({ target }) => setAt(target.value)}
            />
          </div>
        </fieldset>
      </Card>
      <Card title={text('wait')} note={text('waitNote')}>
        <select
          className="input"
          aria-label={text('wait')}
          value={waitSeconds}
          onChange={({ target }) => setWait(Number(target.value))}
        >
          {waits.map((seconds) => (
            <option key={seconds} value={seconds}>
              {text('hours', { count: Math.round(seconds / 3_600) })}
            </option>
          ))}
        </select>
      </Card>
      {error && <ErrorNote error={error} />}
      <StepFoot back={<Button onClick={onBack}>{text('step_recipients')}</Button>}>
        <Button type="submit" kind="primary" isBusy={isPending}>
          {text('toCheck')}
        </Button>
      </StepFoot>
    </Form>
  );
}

interface ChoiceProps {
  sender: TemplateSender;
  total: number;
  isChosen: boolean;
  onChoose: () => void;
}

function SenderChoice({ sender, total, isChosen, onChoose }: ChoiceProps) {
  const text = textsOf('sends');
  const mayManage = useMay('manage');
  const { data } = useQuery({
    ...sendersQuery,
    enabled: mayManage,
  });
  const known = data?.items.find(({ _id }) => _id === sender._id);
  const perSecond = known?.effectiveMessagesPerSecond;
  return (
    <label className="choice">
      <input type="radio" name="sender" checked={isChosen} onChange={onChoose} />
      <span className="grow">
        <span className="strong" dir="auto">
          {sender.name}
        </span>{' '}
        <span className="mono note" dir="ltr">
          {sender.displayPhone}
        </span>
        {perSecond !== undefined && (
          <span className="muted choice-text">
            {text('pace', {
              count: formatNumber(perSecond),
              duration: formatDuration(durationMs(total, perSecond)),
            })}
          </span>
        )}
        {known?.status === 'halted' && (
          <span className="bad-text choice-text">
            {text(known.haltedScope === 'templates' ? 'haltedTemplates' : 'halted')}
          </span>
        )}
      </span>
    </label>
  );
}
