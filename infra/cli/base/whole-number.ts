import { InvalidArgumentError } from 'commander';

export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    const range =
      most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
