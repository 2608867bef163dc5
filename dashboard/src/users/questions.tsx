// The questions that a booking has to answer, in their order.
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SetFormQuestion } from '../../../client/src/generated.ts';
import { api } from '../api/client.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { KeepTyped } from '../design/keep-typed.tsx';
import { Loading } from '../design/loading.tsx';
import { ErrorNote } from '../design/messages.tsx';
import { textsOf } from '../text/texts.ts';
import { QuestionRow } from './question-row.tsx';

const queryKeyOf = (id: string) => ['staff', 'questions', id];

export function Questions({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: queryKeyOf(id),
    queryFn: async () => (await api.listFormQuestions({ appointmentUserId: id, limit: 100 })).items,
  });
  if (!data) return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Loading />;
  const saved = data.map(({ _id, ...question }) => question);
  return <QuestionForm id={id} saved={saved} />;
}

/** As the API takes it: without options where there is nothing to choose. */
const bodyOf = (question: SetFormQuestion): SetFormQuestion => {
  const isChoice = question.questionType === 'select' || question.questionType === 'multiselect';
  const options = (question.options ?? []).map((option) => option.trim()).filter((option) => option !== '');
  return { ...question, question: question.question.trim(), options: isChoice ? options : [] };
};

function QuestionForm({ id, saved }: { id: string; saved: SetFormQuestion[] }) {
  const text = textsOf('users');
  const queries = useQueryClient();
  const [edited, edit] = useState<SetFormQuestion[]>();
  const questions = edited ?? saved;
  const isChanged = edited !== undefined && JSON.stringify(edited) !== JSON.stringify(saved);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => api.setFormQuestions({ id, body: questions.map(bodyOf) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: queryKeyOf(id) });
      edit(undefined);
    },
  });
  const add = () => edit([...questions, { question: '', questionType: 'text', isRequired: false }]);
  const move = (from: number, to: number) => {
    const question = questions[from];
    if (question) edit(questions.toSpliced(from, 1).toSpliced(to, 0, question));
  };
  return (
    <Form onSubmit={mutate}>
      <KeepTyped isChanged={isChanged} />
      <Card title={text('tab_questions')} note={text('questionsNote')} isPadded={false}>
        {questions.length === 0 && <p className="card-body muted">{text('noQuestions')}</p>}
        <ol>
          {questions.map((question, index) => (
            <QuestionRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a new question has no id
              key={index}
              number={index + 1}
              question={question}
              onChange={(next) => edit(questions.with(index, next))}
              onRemove={() => edit(questions.toSpliced(index, 1))}
              onUp={index === 0 ? undefined : () => move(index, index - 1)}
              onDown={index === questions.length - 1 ? undefined : () => move(index, index + 1)}
            />
          ))}
        </ol>
        <div className="list-row">
          <Button icon={<IconPlus size={15} aria-hidden />} onClick={add}>
            {text('addQuestion')}
          </Button>
        </div>
      </Card>
      {error && <ErrorNote error={error} />}
      {isChanged && (
        <div className="foot-bar">
          <span className="row end">
            <Button kind="quiet" onClick={() => edit(undefined)}>
              {text('discard')}
            </Button>
            <Button type="submit" kind="primary" isBusy={isPending}>
              {text('saveQuestions')}
            </Button>
          </span>
        </div>
      )}
    </Form>
  );
}
