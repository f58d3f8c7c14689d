import type { Rule } from 'serverless-reconciler';

/** Matches `*`, a value or a range, each with an optional step, and lists of these. */
const field = (value: string): string => {
  const item = `(\\*|(${value})(-(${value}))?)(/[1-9][0-9]?)?`;
  return `${item}(,${item})*`;
};

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const fields = [
  field('[0-5]?[0-9]'),
  field('[01]?[0-9]|2[0-3]'),
  field('0?[1-9]|[12][0-9]|3[01]'),
  field(`0?[1-9]|1[0-2]|${months}`),
  field('[0-6]|sun|mon|tue|wed|thu|fri|sat'),
];

const pattern = `^(@(hourly|daily|weekly|monthly|yearly)|${fields.join(' +')})$`;
const expression = new RegExp(pattern, 'i');

/** Requires cron syntax. A range such as 5-1 passes, although a CronJob refuses it. */
export const isSchedule: Rule = {
  rule: `self.matches(r'(?i)${pattern}')`,
  holds: (schedule: string) => expression.test(schedule),
  message: 'must have five fields, as in "30 3 * * mon-fri", or be @daily, @hourly and the like',
};
