// The last step: every recipient is checked against the template as it is now, then the campaign starts.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CheckedRecipients, Send, TemplateDetail } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ConfirmButton } from '../design/confirm.tsx';
import { shapes } from '../design/icons.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { Table } from '../design/table.tsx';
import { categoryWord } from '../templates/category-word.ts';
import { formatMoment, formatNumber } from '../text/format.ts';
import { textsOf } from '../text/texts.ts';
import { StepFoot } from './step-foot.tsx';
import { ExamplePhone } from './template-phone.tsx';

/** Above this, the number is typed. */
const typedAbove = 10_000;

interface Props {
  send: Send;
  template: TemplateDetail;
  /** Of the rows that were added on this visit. */
  optedOut: number | undefined;
  onBack: () => void;
  onRecipients: () => void;
}

export function CheckStep({ send, template, optedOut, onBack, onRecipients }: Props) {
  const text = textsOf('sends');
  const queries = useQueryClient();
  const { sendId, total, sendAt, senderId } = send;
  const check = useQuery({
    // not below `sends`: the check itself makes a frame of that kind
    queryKey: ['check', sendId],
    queryFn: () => api.checkSend({ sendId }),
    enabled: total > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const start = useMutation({
    mutationFn: () => api.startSend({ sendId }),
    onSuccess: (started) => {
      queries.setQueryData(['sends', 'one', sendId], started);
      void queries.invalidateQueries({ queryKey: ['sends'] });
    },
  });
  const isGood = check.data?.rejected === 0;
  const isAhead = sendAt !== null && Date.parse(sendAt) > Date.now();
  const isMany = total > typedAbove;
  const verb = text(isAhead ? 'schedule' : 'start', { count: total });
  const sender = template.senders.find(({ _id }) => _id === senderId);
  return (
    <>
      <div className="columns">
        <div className="column loose">
          <Card title={text('summary')}>
            <dl className="facts">
              <dt>{text('template')}</dt>
              <dd>
                <span className="mono" dir="ltr">
                  {template.providerTemplateName}
                </span>{' '}
                <span className="note">{categoryWord(template.category)}</span>
              </dd>
              <dt>{text('recipients')}</dt>
              <dd className="number">{formatNumber(total)}</dd>
              {optedOut !== undefined && (
                <>
                  <dt>{text('sum_optedOut')}</dt>
                  <dd className="number">{formatNumber(optedOut)}</dd>
                </>
              )}
              <dt>{text('number')}</dt>
              <dd dir="auto">{sender?.name ?? senderId}</dd>
              <dt>{text('begins')}</dt>
              <dd>{isAhead ? formatMoment(new Date(sendAt)) : text('rightAway')}</dd>
            </dl>
          </Card>
          <Checks result={check.data} isPending={check.isFetching} onRecipients={onRecipients} />
          {check.error && <ErrorNote error={check.error} onRetry={() => void check.refetch()} />}
        </div>
        <div className="column">
          <ExamplePhone templateId={template._id} />
        </div>
      </div>
      {start.error && !isMany && <ErrorNote error={start.error} />}
      <StepFoot back={<Button onClick={onBack}>{text('step_timing')}</Button>}>
        {isMany ? (
          <ConfirmButton
            kind="primary"
            isDisabled={!isGood}
            question={{
              title: text('confirmStart'),
              effect: text('confirmStartEffect'),
              verb,
              typed: { count: total, label: text('typeNumber', { count: formatNumber(total) }) },
            }}
            run={() => start.mutateAsync()}
          />
        ) : (
          <Button kind="primary" isBusy={start.isPending} isDisabled={!isGood} onClick={() => start.mutate()}>
            {verb}
          </Button>
        )}
      </StepFoot>
    </>
  );
}

interface ChecksProps {
  result: CheckedRecipients | undefined;
  isPending: boolean;
  onRecipients: () => void;
}

function Checks({ result, isPending, onRecipients }: ChecksProps) {
  const text = textsOf('sends');
  if (isPending)
    return (
      <div className="note-box" role="status">
        <span className="state move">{shapes.turningArc}</span> {text('checking')}
      </div>
    );
  if (!result) return null;
  if (result.rejected === 0)
    return (
      <div className="note-box" role="status">
        <span className="state ok">{shapes.tickDisc}</span> {text('checked', { count: result.checked })}
      </div>
    );
  return (
    <Card
      title={text('misfits', { count: result.rejected })}
      isPadded={false}
      end={<Button onClick={onRecipients}>{text('step_recipients')}</Button>}
    >
      <Table
        columns={[
          { label: text('row'), widthPx: 90, isFigure: true },
          { label: text('phone'), widthPx: 170 },
          { label: text('column'), widthPx: 150 },
          { label: text('whatIsWrong') },
        ]}
      >
        {result.errors.slice(0, 100).map(({ row, phone, path, message }) => (
          <tr key={`${row} ${path}`}>
            <td className="figure number">{formatNumber(row)}</td>
            <td className="mono" dir="ltr">
              {phone}
            </td>
            <td className="mono wide-only" dir="ltr">
              {path}
            </td>
            <td className="muted full" dir="auto">
              {message}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
