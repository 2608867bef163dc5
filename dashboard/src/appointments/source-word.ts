// Where a booking came from, in words: a label that its program chose, or one of the gateway's own.
import { textIfAny } from '../text/texts.ts';

export const sourceWord = (source: string): string => textIfAny('appointments', `source_${source}`) ?? source;
