// What is left to do before the draft can be submitted.
import { Card } from '../../design/card.tsx';
import { shapes } from '../../design/icons.tsx';
import { textsOf } from '../../text/texts.ts';
import type { RuleProblem } from './draft-rules.ts';
import { ruleText } from './rule-text.ts';

/** The part of the draft that a field belongs to. */
const partOf = (field: string) => {
  const [part = ''] = field.split('.');
  return part === 'header' || part === 'body' || part === 'footer' ? part : 'buttons';
};

export function RulesCard({ problems }: { problems: RuleProblem[] }) {
  const text = textsOf('editor');
  return (
    <Card title={text('before')}>
      {problems.length === 0 ? (
        <p className="state ok" role="status">
          {shapes.tickDisc}
          {text('nothingMissing')}
        </p>
      ) : (
        <ul className="column">
          {problems.map((problem) => (
            <li key={`${problem.field} ${problem.rule}`} className="rule">
              <span className="state bad">{shapes.crossDisc}</span>
              <span>
                <span className="strong">{text(partOf(problem.field))}:</span> {ruleText(problem)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
