"""The exam of dialogues: would a person call this a good talk?"""
