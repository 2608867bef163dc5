// A broken rule in the viewer's words.
import { textsOf } from '../../text/texts.ts';
import type { RuleProblem } from './draft-rules.ts';

export const ruleText = ({ rule, values }: RuleProblem): string => textsOf('editor')(`rule_${rule}`, values);
