/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dates of text.h: fixed formats of HTTP and AWS to and from epoch seconds, by the proleptic Gregorian calendar,
 * years 1 to 9999. The C library's own functions are not used because they read the locale and the time zone.
 */
#include "base/text.h"

#include <assert.h>
#include <string.h>

enum { DAY_S = 86400, DAYS_TO_1970 = 719162 /* from 0001-01-01 */ };

static const char weekdays[7][4] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}; /* 0001-01-01 is a Monday */
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct date {
    int year;
    int month; /* 1 to 12 */
    int day;
    int hour;
    int minute;
    int second;
};

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_days(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days between 0001-01-01 and the first of January of `year`. */
static int year_start(int year)
{
    int past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

/* Days since 0001-01-01. */
static int date_days(const struct date *date)
{
    int days = year_start(date->year) + date->day - 1;
    for (int month = 1; month < date->month; month++)
        days += month_days(date->year, month);
    return days;
}

/* Second 60 is a leap second, and counts as the first of the next minute. */
static bool date_ok(const struct date *date)
{
    return date->year >= 1 && date->month >= 1 && date->month <= 12 && date->day >= 1 &&
           date->day <= month_days(date->year, date->month) && date->hour <= 23 && date->minute <= 59 &&
           date->second <= 60;
}

static int64_t date_epoch(const struct date *date)
{
    int64_t days = (int64_t)date_days(date) - DAYS_TO_1970;
    return days * DAY_S + date->hour * 3600 + date->minute * 60 + date->second;
}

static void date_from_epoch(int64_t epoch_s, struct date *ret, int *ret_weekday)
{
    const int64_t first = -(int64_t)DAYS_TO_1970 * DAY_S;
    const int64_t last = ((int64_t)year_start(10000) - DAYS_TO_1970) * DAY_S - 1;
    int64_t since = (epoch_s < first ? first : epoch_s > last ? last : epoch_s) - first;
    int days = (int)(since / DAY_S);
    int seconds = (int)(since % DAY_S);
    *ret_weekday = days % 7;
    int year = days / 366 + 1;
    while (year_start(year + 1) <= days)
        year++;
    days -= year_start(year);
    int month = 1;
    while (days >= month_days(year, month)) {
        days -= month_days(year, month);
        month++;
    }
    *ret = (struct date){year, month, days + 1, seconds / 3600, seconds / 60 % 60, seconds % 60};
    assert(date_ok(ret));
}

static bool take_digits(struct text *cursor, size_t count, int *ret)
{
    int value = 0;
    if (cursor->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (cursor->p[i] < '0' || cursor->p[i] > '9')
            return false;
        value = value * 10 + (cursor->p[i] - '0');
    }
    *cursor = text_of(cursor->p + count, cursor->len - count);
    *ret = value;
    return true;
}

static bool take_name(struct text *cursor, const char (*names)[4], int count, int *ret)
{
    for (int i = 0; i < count; i++) {
        if (text_take_str(cursor, names[i])) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool take_time(struct text *cursor, struct date *date)
{
    return take_digits(cursor, 2, &date->hour) && text_take_char(cursor, ':') &&
           take_digits(cursor, 2, &date->minute) && text_take_char(cursor, ':') &&
           take_digits(cursor, 2, &date->second);
}

bool text_parse_http_date(struct text text, int64_t *ret_epoch_s)
{
    struct date date = {0};
    int weekday = 0;
    bool read = take_name(&text, weekdays, 7, &weekday) && text_take_str(&text, ", ") &&
                take_digits(&text, 2, &date.day) && text_take_char(&text, ' ') &&
                take_name(&text, months, 12, &date.month) && text_take_char(&text, ' ') &&
                take_digits(&text, 4, &date.year) && text_take_char(&text, ' ') && take_time(&text, &date) &&
                text_is(text, " GMT");
    date.month++;
    if (!read || !date_ok(&date) || date_days(&date) % 7 != weekday)
        return false;
    *ret_epoch_s = date_epoch(&date);
    return true;
}

bool text_parse_iso8601(struct text text, int64_t *ret_epoch_s)
{
    struct date date = {0};
    bool read = take_digits(&text, 4, &date.year) && text_take_char(&text, '-') && take_digits(&text, 2, &date.month) &&
                text_take_char(&text, '-') && take_digits(&text, 2, &date.day) && text_take_char(&text, 'T') &&
                take_time(&text, &date);
    if (read && text_take_char(&text, '.')) {
        int digit = 0;
        read = take_digits(&text, 1, &digit);
        for (int i = 1; i < 9 && take_digits(&text, 1, &digit); i++) {
        }
    }
    if (!read || !text_is(text, "Z") || !date_ok(&date))
        return false;
    *ret_epoch_s = date_epoch(&date);
    return true;
}

/* `count` digits, with zeros in front; gives what follows them. No printf: each request is dated. */
static char *put_digits(char *at, size_t count, int value)
{
    for (size_t i = count; i-- > 0; value /= 10)
        at[i] = (char)('0' + value % 10);
    return at + count;
}

void text_format_http_date(int64_t epoch_s, char *ret)
{
    struct date date;
    int weekday = 0;
    date_from_epoch(epoch_s, &date, &weekday);
    ret = stpcpy(stpcpy(ret, weekdays[weekday]), ", ");
    ret = stpcpy(stpcpy(stpcpy(put_digits(ret, 2, date.day), " "), months[date.month - 1]), " ");
    ret = stpcpy(put_digits(ret, 4, date.year), " ");
    ret = stpcpy(put_digits(ret, 2, date.hour), ":");
    ret = stpcpy(put_digits(ret, 2, date.minute), ":");
    stpcpy(put_digits(ret, 2, date.second), " GMT");
}

void text_format_amz_date(int64_t epoch_s, char *ret)
{
    struct date date;
    int weekday = 0;
    date_from_epoch(epoch_s, &date, &weekday);
    ret = put_digits(put_digits(put_digits(ret, 4, date.year), 2, date.month), 2, date.day);
    ret = stpcpy(ret, "T");
    ret = put_digits(put_digits(put_digits(ret, 2, date.hour), 2, date.minute), 2, date.second);
    stpcpy(ret, "Z");
}

void text_format_iso8601(int64_t epoch_s, char *ret)
{
    char date[32];
    text_format_amz_date(epoch_s, date);
    const char *from = date;
    for (size_t i = 0; *from != '\0'; i++) { /* 20060203T164509Z: a '-' or a ':' behind these digits */
        *ret++ = *from++;
        if (i == 3 || i == 5)
            *ret++ = '-';
        else if (i == 10 || i == 12)
            *ret++ = ':';
    }
    *ret = '\0';
}
