// Who comes: name, e-mail address, phone number, and the questions of the staff member.
import type { FormQuestion } from '../../../client/src/generated.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Form } from '../design/form.tsx';
import { TextField } from '../design/text-field.tsx';
import { textsOf } from '../text/texts.ts';
import { type Answer, QuestionField } from './question-field.tsx';

export interface Guest {
  name: string;
  email: string;
  phone: string;
  /** By the id of the question. */
  answers: Record<string, Answer>;
}

export const noGuest: Guest = { name: '', email: '', phone: '', answers: {} };
const nameMax = 256;
const emailMax = 320;
const phoneMax = 40;

interface Props {
  guest: Guest;
  questions: FormQuestion[];
  hasSlot: boolean;
  onChange: (guest: Guest) => void;
  onCheck: () => void;
}

export function GuestFields({ guest, questions, hasSlot, onChange, onCheck }: Props) {
  const text = textsOf('appointments');
  const set = (change: Partial<Guest>) => onChange({ ...guest, ...change });
  return (
    <Form onSubmit={onCheck}>
      <Card title={text('guest')}>
        <div className="fields">
          <TextField
            label={text('name')}
            maxLength={nameMax}
            value={guest.name}
            onChange={(name) => set({ name })}
          />
          <TextField
            label={text('email')}
            type="email"
            dir="ltr"
            required
            maxLength={emailMax}
            value={guest.email}
            onChange={(email) => set({ email })}
          />
          <TextField
            label={text('phoneWithCode')}
            type="tel"
            dir="ltr"
            required
            maxLength={phoneMax}
            value={guest.phone}
            onChange={(phone) => set({ phone })}
          />
        </div>
      </Card>
      {questions.length > 0 && (
        <Card title={text('questions')}>
          <div className="fields">
            {questions.map((question) => (
              <QuestionField
                key={question._id}
                question={question}
                answer={guest.answers[question._id]}
                onChange={(answer) => set({ answers: { ...guest.answers, [question._id]: answer } })}
              />
            ))}
          </div>
        </Card>
      )}
      <div>
        <Button type="submit" kind="primary" isDisabled={!hasSlot}>
          {text(hasSlot ? 'toCheck' : 'chooseSlot')}
        </Button>
      </div>
    </Form>
  );
}
