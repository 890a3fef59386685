"""A small agent for the tests: ferries between three islands."""

from __future__ import annotations

FERRY = """
format: 1
agent: ferry
language: en
today: 2024-05-01
notice: The ferries are invented.
fallback: [Pardon?, I only know ferries.]
slots:
  origin:
    values:
      Northholm: [north holm harbour]
      Eastwick: []
      Southend: [the south end]
    cues: [from, leaving]
    ask: From where?
  destination:
    values: origin
    cues: [to, towards]
    ask: Where to?
  day:
    kind: date
    first: 2024-05-02
    last: 2024-05-12
    ask: On which day?
    outside: Only from 2 to 12 May.
  people:
    kind: number
    cues: [for]
    units: [people, seats, of us]
    least: 1
    most: 6
    default: 1
    outside: Six at most.
  hour: {kind: time}
  budget: {kind: number, cues: [under], units: [crowns, $]}
  deck:
    values: {inside: [indoors], sun deck: [outside, open air]}
    default: inside
facts:
  ferries:
    - {code: A1, origin: Northholm, destination: Eastwick, day: 2024-05-03, departs: "08:00", price: 90, deck: inside}
    - {code: A2, origin: Northholm, destination: Eastwick, day: 2024-05-03, departs: "19:30", price: 99, deck: inside}
    - {code: A3, origin: Northholm, destination: Southend, day: 2024-05-03, departs: "09:00", price: 20, deck: inside}
    - {code: A4, origin: Northholm, destination: Eastwick, day: 2024-05-03, departs: "10:00", price: 8,
       deck: sun deck}
topics:
  - intent: greet
    side: true
    phrases: [hello, good morning, hi there]
    keywords: [hello, hi, "good morning"]
    replies: [{say: Hello!}]
  - intent: book
    phrases: [I want to book a ferry, book me a crossing, I need a ticket for the boat, reserve a seat]
    keywords: [book, reserve, need+ticket]
    needs: [origin, destination, day]
    takes: [people, deck, hour, budget]
    replies:
      - find:
          in: ferries
          where: {origin: origin, destination: destination, day: day, deck: deck, departs: hour}
          at_most: {price: budget}
          sort: price
          most: 2
        each: "{code} at {departs} for {price}"
        say: ["{count} found on {day:words}: {found}.", "Shall I book {code} for {people}?"]
        none: "Nothing from {origin} to {destination} on {day}."
        buttons: [yes please, no thanks]
  - intent: luggage
    side: true
    phrases: [how much luggage may I take, can I bring a suitcase, what about bags]
    keywords: [luggage, suitcase, bags]
    replies: [{say: Two bags.}]
  - intent: price
    phrases: [what does a crossing cost, how much is the fare, is it expensive]
    keywords: [cost, fare, expensive]
    replies:
      - say: About 90 crowns. Shall I book one?
        offer: book
  - intent: my_booking
    phrases: [which ferry did I book, show my reservation, what have I reserved]
    keywords: [my+reservation, did+i+book]
    replies:
      - if: {booked: known}
        say: You are on {booked}.
  - intent: affirm
    side: true
    phrases: ["yes", yes please, go ahead, sure]
    keywords: ["yes", sure, go+ahead]
    replies:
      - after: book
        say: "Booked {code} on {day}."
        set: {booked: "{code}"}
        clear: [day]
      - say: Fine.
  - intent: deny
    side: true
    phrases: ["no", no thanks, better not]
    keywords: ["no"]
    replies: [{say: All right.}]
"""
